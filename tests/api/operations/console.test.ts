import { createHash } from 'node:crypto';
import { expect } from 'chai';
import request from 'supertest';
import { SERVICE_VERSION } from '../../../src/app/service-version.ts';
import { CredentialLoadError } from '../../../src/domain/model/errors.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../doubles/credential-builder.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { type ServiceParts, STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A, SAMPLE_ACCOUNTS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const PAGE = '/console';
const SCRIPT = '/console.js';

describe('The console', () => {
  const service = useNewService();

  async function restart(parts: ServiceParts): Promise<void> {
    await restartAs(service, startService(parts));
  }

  async function open(query = '', principal: string | null = null): Promise<string> {
    const call = request(service.server).get(`${PAGE}${query}`);
    const response = await (principal === null ? call : call.set(CALLER, principal));
    expect(response.status).to.equal(200);
    expect(response.headers['content-type']).to.equal('text/html; charset=utf-8');
    return response.text;
  }

  /** Names in the account table, from top to bottom. */
  function listed(page: string): readonly string[] {
    const table = page.slice(page.indexOf('<table class="wide accounts">'));
    return [...table.matchAll(/<th scope="row">[^<]*<small>([^<]*)<\/small>/g)].map(([, name = '']) => name);
  }

  const sign = (accountId: string) =>
    request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });

  /** Loads these aliases as accounts of `alpha`. */
  async function load(aliases: readonly string[]): Promise<void> {
    const accounts = aliases.map((alias, number) =>
      sampleCredential({ accountId: `a-${number}`, alias, privateKey: samplePrivateKey((number % 250) + 1) }),
    );
    service.credentials.contain({ platforms: [samplePlatform({ format: 'A' })], accounts });
    await request(service.server).post('/api/v1/config/reload').expect(200);
  }

  it('shows state, version, instance, figures and every account, without a script', async () => {
    await sign('main');
    await sign('nobody');
    const page = await open();
    expect(page).to.match(/^<!doctype html>/);
    for (const text of ['<h2 id="state">Ready</h2>', 'test-instance', `Version ${SERVICE_VERSION}`, 'up 0h 0m 0s']) {
      expect(page).to.include(text);
    }
    expect(listed(page)).to.have.members(
      SAMPLE_ACCOUNTS.map(({ platformId, accountId }) => `${platformId}/${accountId}`),
    );
    expect(page).to.match(/alpha\/nobody<small>ACCOUNT_NOT_FOUND, <time[^>]*>0 s ago<\/time>/);
    expect(page).to.include('not authenticated<small>');
    const { body } = await request(service.server).get('/api/v1/accounts/alpha/main');
    expect(page).to.include(body.data.publicKey);
  });

  it('allows its own style sheet and script, and nothing else', async () => {
    const { headers, text } = await request(service.server).get(PAGE);
    const [, styles = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(styles).digest('base64');
    expect(headers['content-security-policy']?.split('; ')).to.have.members([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "script-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      'img-src data:',
    ]);
    expect(headers['cache-control']).to.equal('no-store');
    expect(text.match(/<script[^>]*>/g)).to.deep.equal([`<script src="${SCRIPT}" defer>`]);
    expect(text).not.to.match(/ style=| on[a-z]+=/);
    const script = await request(service.server).get(SCRIPT);
    expect(script.status).to.equal(200);
    expect(script.headers['content-type']).to.equal('text/javascript; charset=utf-8');
    expect(script.headers['x-content-type-options']).to.equal('nosniff');
  });

  it('escapes texts of users', async () => {
    const alias = `</th><script>alert(1)</script>"'&`;
    await load([alias]);
    await request(service.server)
      .post('/api/v1/sign')
      .send({ platformId: 'alpha', accountId: '<img src=x>', data: DATA_A });
    const page = await open(`?q=${encodeURIComponent('"><script>alert(2)</script>')}`);
    expect(await open()).to.include('&lt;/th&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    expect(page).to.include('value="&quot;&gt;&lt;script&gt;alert(2)&lt;/script&gt;"');
    for (const text of [page, await open()]) expect(text).not.to.match(/<script>|<img src=x>/);
  });

  it('finds accounts by every word of a search, in alias, name and public key', async () => {
    await load(['Basis one', 'Basis two', 'Funding']);
    expect(listed(await open('?q=basis'))).to.deep.equal(['alpha/a-0', 'alpha/a-1']);
    expect(listed(await open('?q=TWO%20alpha/'))).to.deep.equal(['alpha/a-1']);
    const { body } = await request(service.server).get('/api/v1/accounts/alpha/a-2');
    expect(listed(await open(`?q=${body.data.publicKey}`))).to.deep.equal(['alpha/a-2']);
    expect(await open('?q=nothing-like-this')).to.include('No account found');
  });

  it('sorts by name, alias, last use, signatures and errors', async () => {
    await load(['C', 'B', 'A']);
    await sign('a-1');
    await sign('a-1');
    service.clock.advance(1000);
    await sign('a-2');
    await request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId: 'a-0', data: {} });
    const orders = { name: '0 1 2', alias: '2 1 0', used: '2 1 0', signatures: '1 2 0', errors: '0 1 2' };
    for (const [sort, order] of Object.entries(orders)) {
      const expected = order.split(' ').map((number) => `alpha/a-${number}`);
      expect(listed(await open(`?sort=${sort}`)), sort).to.deep.equal(expected);
    }
    expect(await open('?sort=signatures')).to.match(/aria-sort="descending"[^>]*><a id="by-signatures"/);
  });

  it('shows fifty accounts on a page, and the last page for a larger number', async () => {
    await load(Array.from({ length: 120 }, (_, number) => `Alias ${number}`));
    const [first, second, last] = [await open(), await open('?page=2'), await open('?page=999')];
    expect([first, second, last].map((page) => listed(page).length)).to.deep.equal([50, 50, 20]);
    expect(new Set([first, second, last].flatMap(listed))).to.have.property('size', 120);
    expect(first).to.include('1–50 of 120').and.include('href="?page=2#accounts"');
    expect(last).to.include('101–120 of 120').and.include('href="?page=2#accounts"');
  });

  it('rejects a query that it does not know', async () => {
    for (const [query, path] of [
      ['sort=nothing', 'sort'],
      ['sort=__proto__', 'sort'],
      ['page=0', 'page'],
      ['page=1e3', 'page'],
      [`q=${'x'.repeat(201)}`, 'q'],
      ['other=1', 'other'],
    ]) {
      expect(expectIssues(await request(service.server).get(`${PAGE}?${query}`)), query).to.deep.equal([path]);
    }
    await request(service.server).get(`${PAGE}?q=`).expect(200);
  });

  it('shows why the service is not ready', async () => {
    await restart({ adapters: { sink: new FailingAuditSink() } });
    const page = await open();
    expect(page).to.include('<h2 id="state">Not ready</h2>').and.include('data-state="Not ready: Audit log"');
    expect(page).to.include('<strong>Audit log</strong> failed: The audit sink fails on purpose.');
  });

  it('warns of an expiry from the days on that log and alerts warn from', async () => {
    for (const [daysLeft, grade] of [
      [29, '▲ 29 days left: renew it'],
      [30, '30 days left'],
      [-1, '✕ EXPIRED'],
    ] as const) {
      const authentication = {
        mode: 'required',
        publicKey: 'FVen3X',
        expirationTime: STARTED_AT,
        daysLeft,
        authorities: 1,
      };
      const replace = () => ({ authenticationState: { report: () => authentication } as never });
      await restart({ expiryWarningDays: 30, replace });
      expect((await open()).replace(/<[^>]+>/g, '')).to.match(new RegExp(`Access token.*${grade}`));
    }
  });

  it('shows what the last load changed, or why it failed', async () => {
    await load(['One']);
    const changed = await open();
    expect(changed).to.match(/accounts added alpha\/a-0; accounts removed /);
    service.credentials.failWith(new CredentialLoadError('file', [{ path: 'accounts[3]', message: 'is <wrong>' }]));
    await request(service.server).post('/api/v1/config/reload');
    const failed = await open();
    expect(failed).to.include('accounts[3] is &lt;wrong&gt;');
    expect(changed).not.to.include('The last load of the configuration failed');
    expect(failed).to.include('<a href="#figures">The last load of the configuration failed</a>');
  });

  describe('permissions', () => {
    beforeEach(() =>
      restart({
        replace: () => ({ callerChecks: [identify] }),
        permissions: [
          { principals: ['watcher', 'reader', 'operator'], operations: ['status'] },
          { principals: ['operator'], operations: ['read'], accounts: ['*/*'] },
          { principals: ['reader'], operations: ['read'], accounts: ['beta/*'] },
        ],
      }),
    );

    it('refuse a caller that may not read the status, on record', async () => {
      const response = await request(service.server).get(PAGE).set(CALLER, 'stranger');
      expectError(response, 403, 'FORBIDDEN');
      const recorded = service.records.entries.map(({ event, outcome, principal }) => [event, outcome, principal]);
      expect(recorded).to.deep.equal([['status', 'refused', 'stranger']]);
    });

    it('show only the accounts that the caller may read', async () => {
      expect(listed(await open('', 'reader'))).to.deep.equal(['beta/main']);
      const page = await open('', 'watcher');
      expect(page).to.include('needs the permission').and.not.include('<table class="wide accounts">');
    });

    it('show refusals and records of these accounts only, as the status does', async () => {
      await sign('main');
      await sign('invented');
      const accounts = async (principal: string) => {
        const response = await request(service.server).get('/api/v1/status?include=activity').set(CALLER, principal);
        const { refusedBy, records } = response.body.data.activity;
        const names = (entries: readonly { readonly accountId: string }[]) => entries.map(({ accountId }) => accountId);
        return [names(refusedBy.accounts), names(records), refusedBy.others.accounts, refusedBy.callers[0].count];
      };
      expect(await accounts('operator')).to.deep.equal([['main', 'invented'], ['invented', 'main'], 0, 2]);
      expect(await accounts('watcher')).to.deep.equal([[], [], 2, 2]);
      expect(await open('', 'watcher'))
        .to.not.include('invented')
        .and.not.include('alpha/main');
      expect(await open('', 'operator')).to.include('alpha/invented');
    });
  });

  it('is refused without authentication where that is required', async () => {
    await restartAs(service, startAuthenticatedService());
    for (const path of [PAGE, SCRIPT]) expectError(await request(service.server).get(path), 401, 'UNAUTHENTICATED');
  });

  it('is not logged when it refreshes', async () => {
    await open();
    await request(service.server).get(SCRIPT);
    expect(service.log.events.filter(({ message }) => message === 'Request completed.')).to.deep.equal([]);
  });

  it('serves requests of its own page only', async () => {
    const ownPage = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    const statusOf = async (path: string, headers: object = ownPage, method: 'get' | 'head' | 'post' = 'get') =>
      (
        await request(service.server)
          [method](path)
          .set({ ...headers })
      ).status;
    for (const path of [PAGE, `${PAGE}?q=alpha`, SCRIPT]) expect(await statusOf(path), path).to.equal(200);
    for (const path of ['/api/v1/status', '/metrics', '/docs', '/', '/console/', '/CONSOLE']) {
      expect(await statusOf(path), path).to.equal(403);
    }
    for (const method of ['head', 'post'] as const) expect(await statusOf(PAGE, ownPage, method)).to.equal(403);
    for (const headers of [
      { ...ownPage, origin: 'http://evil.example' },
      { ...ownPage, 'sec-fetch-site': 'same-site' },
      { ...ownPage, 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      for (const path of [PAGE, SCRIPT]) expect(await statusOf(path, headers)).to.equal(403);
    }
  });

  it('does not exist where it is switched off', async () => {
    await restart({ console: false });
    for (const path of ['/', PAGE, SCRIPT]) expectError(await request(service.server).get(path), 404, 'NOT_FOUND');
    const ownPage = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
    expectError(await request(service.server).get(PAGE).set(ownPage), 403, 'FORBIDDEN');
  });
});
