import { expect } from 'chai';
import request from 'supertest';
import { expectError } from '../../harness/envelope-checks.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const SIGN = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** Browser headers of page requests (Fetch Standard §3.2, W3C Fetch Metadata §2.3). */
const OF_PAGES: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[] = [
  ['of another site', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
  ['by DNS rebinding', { origin: 'http://evil.example', host: 'evil.example' }],
  ['without Sec-Fetch-Site', { origin: 'null' }],
  ['without an Origin', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ['of the same site, without an origin', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
];

describe('Requests from web pages', () => {
  const service = useNewService();

  function expectRefused(response: Parameters<typeof expectError>[0]): void {
    expect(expectError(response, 403, 'FORBIDDEN').details).to.deep.equal({ reason: 'BROWSER_REQUEST' });
    expect(response.headers['connection']).to.equal('close');
  }

  for (const [name, headers] of OF_PAGES) {
    it(`are refused, and neither signed nor recorded: a page ${name}`, async () => {
      const signed = await request(`http://127.0.0.1:${service.port}`).post('/api/v1/sign').set(headers).send(SIGN);
      expectRefused(signed);
      // A simple request without preflight: a text body.
      const reload = await request(`http://127.0.0.1:${service.port}`)
        .post('/config/reload')
        .set(headers)
        .type('text/plain')
        .send('');
      expectRefused(reload);
      for (const path of ['/api/v1/accounts/alpha/main', '/metrics', '/docs', '/openapi.json']) {
        expectRefused(await request(`http://127.0.0.1:${service.port}`).get(path).set(headers));
      }
      expect(service.records.entries).to.deep.equal([]);
    });
  }

  it('are logged once, not per request', async () => {
    for (let count = 0; count < 3; count += 1) {
      await request(`http://127.0.0.1:${service.port}`).get('/api/v1/status').set('origin', 'http://evil.example');
    }
    const logged = service.log.events.filter(({ message }) => message.includes('from web pages'));
    expect(logged.map(({ level, facts }) => [level, facts['refused']])).to.deep.equal([['warn', 1]]);
  });

  it('do not include user navigation or requests from programs', async () => {
    const opened = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    for (const headers of [opened, { ...opened, 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-mode': 'cors' }, {}]) {
      for (const path of ['/api/v1/status', '/docs']) {
        await request(`http://127.0.0.1:${service.port}`).get(path).set(headers).expect(200);
      }
    }
    expect((await fetch(`http://127.0.0.1:${service.port}/api/v1/status`)).status).to.equal(200);
  });
});
