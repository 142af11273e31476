import { expect } from 'chai';
import request from 'supertest';
import { type AppDependencies, serveRoutes } from '../../../src/adapters/http/app.ts';
import { Gate } from '../../../src/adapters/http/gate.ts';
import { signRequestSchema } from '../../../src/adapters/http/schemas/requests.ts';
import type { PermissionEntry } from '../../../src/domain/model/permissions.ts';
import { accepted } from '../../../src/domain/model/refusal.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_B, DATA_C, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { readProjectFile } from '../../project-root.ts';

/** Null: anonymous. */
type Principal = string | null;

const DATA: { readonly [platformId: string]: object } = { alpha: DATA_A, beta: DATA_B, gamma: DATA_C };
const ACCOUNTS = ['alpha/main', 'alpha/idle', 'beta/main', 'gamma/main'] as const;

/** The list in docs/operators/access.md. */
function documentedExample(): readonly PermissionEntry[] {
  const page = readProjectFile('docs/operators/access.md');
  const [, list = expect.fail('The page shows a list.')] = /```json\n"permissions": (\[.*?\n\])\n```/s.exec(page) ?? [];
  return JSON.parse(list);
}

let service: RunningService;

/** Starts with this list; null for none. */
async function permit(permissions: readonly PermissionEntry[] | null): Promise<void> {
  const list = permissions === null ? {} : { permissions };
  service = await startService({ replace: () => ({ callerChecks: [identify] }), ...list });
}

const as = (principal: Principal, call: request.Test) => (principal === null ? call : call.set(CALLER, principal));
const post = (principal: Principal, path: string, body?: object) =>
  as(principal, request(service.server).post(`/api/v1${path}`)).send(body);
const get = (principal: Principal, path: string) => as(principal, request(service.server).get(`/api/v1${path}`));
const bodyOf = (account: string, fields: object = {}) => {
  const [platformId = '', accountId = ''] = account.split('/');
  return { platformId, accountId, data: DATA[platformId] ?? {}, ...fields };
};
const sign = (principal: Principal, account: string) => post(principal, '/sign', bodyOf(account));
const verify = (principal: Principal, account: string) =>
  post(principal, '/verify', bodyOf(account, { signature: 'x' }));
const view = (principal: Principal, account: string) => get(principal, `/accounts/${account}`);
const list = async (principal: Principal, query = '') => {
  const { accounts, total } = expectData<{
    readonly accounts: readonly { readonly platformId: string; readonly accountId: string }[];
    readonly total: number;
  }>(await get(principal, `/accounts${query}`));
  expect(total).to.equal(accounts.length);
  return accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`);
};

/** Statuses by the list and the order of checks in docs/operators/access.md; 423: disabled. */
const MATRIX: readonly (readonly [Principal, 'sign' | 'verify' | 'view', readonly number[]])[] = [
  // On:                 alpha/main, alpha/idle (disabled), beta/main, gamma/main
  ['bot-7', 'sign', [200, 403, 200, 403]],
  ['bot-7', 'verify', [200, 403, 200, 403]],
  ['bot-7', 'view', [403, 403, 403, 403]],
  ['bot-', 'sign', [200, 403, 200, 403]],
  ['bot', 'sign', [403, 403, 403, 403]],
  ['Bot-7', 'sign', [403, 403, 403, 403]],
  ['desk', 'sign', [403, 403, 403, 403]],
  ['desk', 'verify', [200, 200, 200, 200]],
  ['desk', 'view', [200, 200, 200, 200]],
  ['desk-2', 'view', [403, 403, 403, 403]],
  ['ops', 'sign', [200, 423, 200, 200]],
  ['ops', 'verify', [200, 200, 200, 200]],
  ['ops', 'view', [200, 200, 200, 200]],
  ['stranger', 'sign', [403, 403, 403, 403]],
  ['stranger', 'verify', [403, 403, 403, 403]],
  ['stranger', 'view', [403, 403, 403, 403]],
  [null, 'sign', [403, 403, 403, 403]],
  [null, 'verify', [403, 403, 403, 403]],
  [null, 'view', [403, 403, 403, 403]],
];
/** Endpoints without an account. */
const SERVICE_MATRIX: readonly (readonly [
  Principal,
  { readonly [Call in 'list' | 'page' | 'reload' | 'status']: number },
])[] = [
  ['bot-7', { list: 403, page: 403, reload: 403, status: 200 }],
  ['desk', { list: 200, page: 200, reload: 403, status: 200 }],
  ['ops', { list: 200, page: 200, reload: 200, status: 200 }],
  ['stranger', { list: 403, page: 403, reload: 403, status: 200 }],
  [null, { list: 403, page: 403, reload: 403, status: 200 }],
];

describe('The permissions of docs/operators/access.md', () => {
  const CALLS = { sign, verify, view };

  before(() => permit(documentedExample()));
  after(() => service.close());

  for (const [principal, call, expected] of MATRIX) {
    it(`${call} by ${principal ?? 'anonymous'}: ${expected.join(', ')}`, async () => {
      const statuses: number[] = [];
      for (const account of ACCOUNTS) {
        const response = await CALLS[call](principal, account);
        statuses.push(response.status);
        if (response.status !== 403) continue;
        const [platformId, accountId] = account.split('/');
        const operation = call === 'view' ? 'read' : call;
        const { message, details } = expectError(response, 403, 'FORBIDDEN');
        expect(message).to.equal('Permission denied: no permission entry allows this operation for the caller.');
        const knownAs = principal ?? 'anonymous';
        const expectedDetails = { platformId, accountId, operation, principal: knownAs, reason: 'PERMISSION_DENIED' };
        expect(details).to.deep.equal(expectedDetails);
      }
      expect(statuses).to.deep.equal(expected);
    });
  }

  for (const [principal, expected] of SERVICE_MATRIX) {
    it(`list, page, reload and status by ${principal ?? 'anonymous'}: ${Object.values(expected).join(', ')}`, async () => {
      const responses = {
        list: await get(principal, '/accounts'),
        page: await get(principal, '/accounts?limit=2'),
        reload: await post(principal, '/config/reload'),
        status: await get(principal, '/status'),
      };
      const statuses = Object.fromEntries(Object.entries(responses).map(([call, { status }]) => [call, status]));
      expect(statuses).to.deep.equal(expected);
      for (const [call, response] of Object.entries(responses)) {
        if (response.status !== 403) continue;
        const operation = call === 'page' || call === 'list' ? 'read' : call;
        const { details } = expectError(response, 403, 'FORBIDDEN');
        const knownAs = principal ?? 'anonymous';
        expect(details).to.deep.equal({ operation, principal: knownAs, reason: 'PERMISSION_DENIED' });
      }
    });
  }
});

describe('Permissions', () => {
  afterEach(() => service.close());

  describe('with the list from docs/operators/access.md', () => {
    beforeEach(() => permit(documentedExample()));

    it('reveal missing accounts to any caller, but data issues only to callers that may sign', async () => {
      for (const principal of ['bot-7', 'ops', 'stranger', null]) {
        for (const call of [sign, verify]) {
          expectError(await call(principal, 'nowhere/main'), 400, 'PLATFORM_NOT_SUPPORTED');
          expectError(await call(principal, 'alpha/nobody'), 404, 'ACCOUNT_NOT_FOUND');
        }
        expectError(await view(principal, 'nowhere/main'), 404, 'ACCOUNT_NOT_FOUND');
        expectError(await view(principal, 'alpha/nobody'), 404, 'ACCOUNT_NOT_FOUND');
        expectError(await post(principal, '/sign', { platformId: 'alpha' }), 400, 'INVALID_DATA_FORMAT');
      }
      const wrong = { platformId: 'alpha', accountId: 'main', data: {} };
      expectError(await post('stranger', '/sign', wrong), 403, 'FORBIDDEN');
      expectError(await post('bot-7', '/sign', wrong), 400, 'INVALID_DATA_FORMAT');
    });

    it('fail forbidden items of a batch and sign the others', async () => {
      const accounts = ['alpha/main', 'gamma/main', 'beta/main', 'alpha/idle', 'alpha/nobody'];
      const requests = accounts.map((account, index) => bodyOf(account, { requestId: `r-${index}` }));
      const { results, summary } = expectData<{ readonly results: readonly object[]; readonly summary: object }>(
        await post('bot-7', '/sign/batch', { requests }),
      );
      expect(summary).to.deep.equal({ total: 5, successful: 2, failed: 3 });
      const codes = results.map((result) => ('error' in result ? (result.error as { code: string }).code : 'signed'));
      expect(codes).to.deep.equal(['signed', 'FORBIDDEN', 'signed', 'FORBIDDEN', 'ACCOUNT_NOT_FOUND']);
      expect(results[1]).to.have.nested.property('error.details').that.deep.equals({
        platformId: 'gamma',
        accountId: 'main',
        operation: 'sign',
        principal: 'bot-7',
        reason: 'PERMISSION_DENIED',
      });
    });

    it('record refused sign and verify attempts with their caller, and count the sign attempts', async () => {
      const responses = [await sign('desk', 'alpha/main'), await verify(null, 'beta/main')];
      const expected = [
        { event: 'sign', platformId: 'alpha', principal: 'desk' },
        { event: 'verify', platformId: 'beta', principal: null },
      ];
      const common = { outcome: 'refused', errorCode: 'FORBIDDEN', accountId: 'main', payloadDigest: null };
      expect(service.records.entries).to.have.lengthOf(2);
      for (const [index, record] of service.records.entries.entries()) {
        const correlationId = responses[index]?.headers['x-correlation-id'];
        expect(record).to.deep.include({ ...common, ...expected[index], correlationId });
      }
      const { accounts } = expectData<{
        readonly accounts: readonly { readonly usage: { readonly errorCount: number } }[];
      }>(await get('ops', '/accounts'));
      expect(accounts.slice(0, 3).map(({ usage }) => usage.errorCount)).to.deep.equal([1, 0, 0]);
    });

    it('record and log a refused reload without loading the configuration', async () => {
      const loads = service.credentials.loads;
      const response = await post('bot-7', '/config/reload');
      expectError(response, 403, 'FORBIDDEN');
      expect(service.credentials.loads).to.equal(loads);
      const [record, ...more] = service.records.entries;
      expect(more).to.deep.equal([]);
      expect(record).to.deep.include({
        event: 'reload',
        outcome: 'refused',
        errorCode: 'FORBIDDEN',
        principal: 'bot-7',
        correlationId: response.headers['x-correlation-id'],
        data: { trigger: 'request', reason: 'PERMISSION_DENIED' },
        durationMs: null,
      });
      expect(expectData(await get('ops', '/status')))
        .to.have.nested.property('config.reloads')
        .that.deep.equals({
          succeeded: 0,
          failed: 0,
        });
      const warnings = service.log.events.filter(({ level }) => level === 'warn');
      expect(warnings.map(({ facts }) => facts['principal'])).to.deep.equal(['bot-7']);
    });
  });

  it('are checked by the operation, also where a route has a body', async () => {
    const permissions = [{ principals: ['ops'], operations: ['reload'] }] as const;
    let parts = {} as AppDependencies;
    service = await startService({
      permissions,
      replace: (dependencies) => {
        parts = { ...dependencies, callerChecks: [identify] };
        return {};
      },
    });
    const signing = { work: 'single', schema: signRequestSchema } as const;
    const row = { method: 'post', path: '/api/v1/new', operation: 'reload' } as const;
    const app = serveRoutes(parts, new Gate(parts), [{ ...row, signing, handle: () => accepted('done') }]);
    const call = (principal: Principal) => as(principal, request(app).post(row.path)).send(bodyOf('alpha/main'));
    expectError(await call('bot-7'), 403, 'FORBIDDEN');
    expect((await call('ops')).body.data).to.equal('done');
  });

  it('name the caller alike in the response, log and record of a request that a policy denies', async () => {
    service = await startService({
      policies: [{ name: 'none', accounts: ['*/*'], effect: 'deny', when: 'true' }],
      replace: () => ({ callerChecks: [identify] }),
    });
    for (const principal of ['bot-7', null]) {
      const { details } = expectError(await sign(principal, 'alpha/main'), 403, 'POLICY_DENIED');
      expect(details).to.include({ principal: principal ?? 'anonymous' });
      const line = service.log.events.findLast(({ message }) => message === 'Request completed.');
      expect(line?.facts).to.include({ status: 403, errorCode: 'POLICY_DENIED' });
      expect(line?.facts['principal']).to.equal(principal ?? undefined);
      expect(service.records.entries.at(-1)).to.include({ principal, errorCode: 'POLICY_DENIED' });
    }
  });

  it('record each forbidden read with its caller, but neither allowed nor malformed reads', async () => {
    await permit([{ principals: ['ops'], operations: ['status'] }]);
    await get('bot-7', '/accounts');
    await get('bot-7', '/accounts?limit=1');
    const shown = await view(null, 'beta/main');
    await get('bot-7', '/status');
    expectData(await get('ops', '/status'));
    expectError(await get('bot-7', '/accounts?limit=0'), 400, 'INVALID_DATA_FORMAT');
    expectError(await view('bot-7', 'beta/nobody'), 404, 'ACCOUNT_NOT_FOUND');
    const { entries } = service.records;
    expect(
      entries.map(({ event, platformId, accountId, principal }) => [event, platformId, accountId, principal]),
    ).to.deep.equal([
      ['read', null, null, 'bot-7'],
      ['read', null, null, 'bot-7'],
      ['read', 'beta', 'main', null],
      ['status', null, null, 'bot-7'],
    ]);
    for (const entry of entries) expect(entry).to.include({ outcome: 'refused', errorCode: 'FORBIDDEN', data: null });
    expect(entries[2]).to.include({ correlationId: shown.headers['x-correlation-id'], remoteAddress: '127.0.0.1' });
  });

  it('refuse a forbidden read even if the refusal cannot be recorded', async () => {
    service = await startService({
      adapters: { sink: new FailingAuditSink() },
      permissions: [],
      replace: () => ({ callerChecks: [identify] }),
    });
    expectError(await get('bot-7', '/status'), 403, 'FORBIDDEN');
    expect(service.log.events.filter(({ level }) => level === 'error')).to.have.length(1);
  });

  it('change on reload, also for the caller that requested it', async () => {
    await permit(null);
    const all = (name: string): PermissionEntry => ({ principals: [name], accounts: ['*/*'], operations: ['*'] });
    const contain = (...permissions: readonly PermissionEntry[]) =>
      service.credentials.contain({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS, permissions });
    contain(all('first'));
    expectData(await sign('second', 'alpha/main'));
    expectData(await post(null, '/config/reload'));
    expectData(await sign('first', 'alpha/main'));
    expectError(await sign('second', 'alpha/main'), 403, 'FORBIDDEN');

    contain(all('second'));
    expectError(await post('second', '/config/reload'), 403, 'FORBIDDEN');
    expectData(await sign('first', 'alpha/main'));
    expectData(await post('first', '/config/reload'));
    expectData(await sign('second', 'alpha/main'));
    expectError(await post('first', '/config/reload'), 403, 'FORBIDDEN');
  });

  describe('limited to some accounts', () => {
    const SEEN = ['alpha/main', 'beta/main', 'verbatim/rfc8032-0', 'verbatim/rfc8032-1'];

    beforeEach(() =>
      permit([
        { principals: ['desk'], accounts: ['alpha/main', 'beta/*', 'verbatim/rfc8032-*'], operations: ['read'] },
        { principals: ['desk'], accounts: ['gamma/*'], operations: ['sign'] },
        { principals: ['other'], accounts: ['none/of-these'], operations: ['read'] },
      ]),
    );

    it('list and count only those accounts, in configured order', async () => {
      const seen = SAMPLE_ACCOUNTS.map(({ platformId, accountId }) => `${platformId}/${accountId}`).filter(
        (account) => SEEN.includes(account) || account.startsWith('verbatim/rfc8032-'),
      );
      expect(await list('desk')).to.deep.equal(seen);
      expect(await list('desk', '?platform=alpha')).to.deep.equal(['alpha/main']);
      expect(await list('desk', '?platform=gamma')).to.deep.equal([]);
      expect(await list('desk', '?platform=nowhere')).to.deep.equal([]);
      expect(await list('other')).to.deep.equal([]);
    });

    it('paginate only those accounts: all pages but the last are full, and the last has no cursor', async () => {
      const all = [...(await list('desk'))].sort();
      for (const limit of [1, 2, 3, all.length, 1000]) {
        const pages: (readonly string[])[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const query: string = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
          const { accounts, nextCursor }: Page = expectData<Page>(await get('desk', `/accounts${query}`));
          pages.push(accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
          cursor = nextCursor;
        }
        expect(pages.flat()).to.deep.equal(all);
        for (const page of pages.slice(0, -1)) expect(page).to.have.length(limit);
        expect(pages).to.have.length(Math.ceil(all.length / limit));
      }
    });
  });
});

interface Page {
  readonly accounts: readonly { readonly platformId: string; readonly accountId: string }[];
  readonly nextCursor: string | null;
}
