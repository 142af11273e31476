import { expect } from 'chai';
import request from 'supertest';
import { expectError } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const CAUSE = new Error('a secret of the inside');

async function reject(): Promise<never> {
  throw CAUSE;
}

function raise(): never {
  throw CAUSE;
}

describe('An unexpected error', () => {
  const service = useNewService(() =>
    startService({
      replace: () => ({
        signing: { sign: reject, signAll: reject },
        reloads: { reload: reject },
        accounts: { list: raise, page: reject, find: raise },
        usage: { sum: reject },
      }),
    }),
  );

  const item = { platformId: 'alpha', accountId: 'main', data: DATA_A };
  const calls: readonly (readonly [method: 'get' | 'post', path: string, body?: object])[] = [
    ['post', '/api/v1/sign', item],
    ['post', '/api/v1/sign/batch', { requests: [{ requestId: '1', ...item }] }],
    ['get', '/api/v1/accounts'],
    ['get', '/api/v1/accounts?limit=1'],
    ['get', '/api/v1/accounts/alpha/main'],
    ['post', '/api/v1/config/reload'],
    ['get', '/api/v1/status'],
  ];
  for (const [method, path, body] of calls) {
    it(`responds 500 INTERNAL_ERROR without details, and logs the cause: ${method} ${path}`, async () => {
      const response = await request(service.server)[method](path).send(body);
      const error = expectError(response, 500, 'INTERNAL_ERROR');
      expect(error.details).to.deep.equal({});
      expect(response.text).not.to.match(/secret|stack|\.ts/);
      const logged = service.log.events.filter(({ level }) => level === 'error');
      expect(logged).to.have.lengthOf(1);
      expect(logged[0]?.facts).to.include({ cause: CAUSE, correlationId: response.headers['x-correlation-id'] });
    });
  }

  it('is logged once a minute, regardless of how often it occurs', async () => {
    for (let nth = 0; nth < 20; nth += 1) {
      expectError(await request(service.server).post('/api/v1/sign').send(item), 500, 'INTERNAL_ERROR');
    }
    const logged = service.log.events.filter(({ level }) => level === 'error');
    expect(logged.map(({ facts }) => facts['count'])).to.deep.equal([1]);
    await request(service.server).get('/api/v1/status');
    const all = service.log.events.filter(({ level }) => level === 'error');
    expect(all.map(({ facts }) => facts['route'])).to.deep.equal(['/api/v1/sign', '/api/v1/status']);
  });
});
