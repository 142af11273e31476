import { expect } from 'chai';
import { computeAddress, hashMessage, recoverAddress } from 'ethers';
import {
  type Attempt,
  type BatchFailure,
  type BatchSuccess,
  isServiceError,
  type ListedAccount,
  SigningClient,
} from '../../src/client/client.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A, DATA_B, SAMPLE_ACCOUNTS } from '../harness/sample-accounts.ts';
import { canonical, verifiesEd25519 } from '../harness/signature-checks.ts';
import { caught } from './caught.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const BETA = { platformId: 'beta', accountId: 'main', data: DATA_B };

describe('SigningClient calls to the real service', () => {
  let service: RunningService;
  let client: SigningClient;
  let attempts: Attempt[];

  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  beforeEach(() => {
    attempts = [];
    client = new SigningClient({
      url: `http://127.0.0.1:${service.port}/`,
      onAttempt: (attempt) => attempts.push(attempt),
    });
  });
  afterEach(() => client.close());

  it('sign returns a valid signature without its payload', async () => {
    const signed = await client.sign(ALPHA);
    expect(signed).to.include({ algorithm: 'ed25519', encoding: 'base58', verified: false });
    expect(signed.signedAt).to.equal('2026-11-20T08:49:00.000Z');
    expect(verifiesEd25519(signed.publicKey, canonical(DATA_A), signed.signature)).to.equal(true);
    expect(signed).to.not.have.any.keys('payload', 'payloadEncoding', 'payloadParts');
  });

  it('sign returns the payload on request', async () => {
    const signed = await client.sign(ALPHA, { includePayload: true });
    expect(signed.payload).to.equal(canonical(DATA_A));
    const raw = await client.sign(
      { platformId: 'verbatim', accountId: 'rfc8032-0', data: { hex: 'ff00' } },
      { includePayload: true },
    );
    expect(raw).to.include({ payload: 'ff00', payloadEncoding: 'hex' });
  });

  it('signBatch returns a result for each request, including failed ones', async () => {
    const { results, summary } = await client.signBatch([
      { requestId: 'first', ...ALPHA },
      { requestId: 'second', ...BETA },
      { requestId: 'third', platformId: 'alpha', accountId: 'nobody', data: DATA_A },
    ]);
    expect(summary).to.deep.equal({ total: 3, successful: 2, failed: 1 });
    const [first, second, third] = results as [BatchSuccess, BatchSuccess, BatchFailure];
    expect(first).to.include({ requestId: 'first', status: 'success', algorithm: 'ed25519', verified: false });
    expect(second).to.include({ requestId: 'second', status: 'success', algorithm: 'eip191' });
    const { publicKey } = await client.account(BETA);
    const digest = hashMessage(canonical(DATA_B.message));
    expect(recoverAddress(digest, second.signature)).to.equal(computeAddress(publicKey));
    expect(third.error.code).to.equal('ACCOUNT_NOT_FOUND');
    expect(third.error.details).to.deep.equal({ platformId: 'alpha', accountId: 'nobody' });
  });

  it('passes the name of a rule on', async () => {
    const named = { ...ALPHA, rule: 'login' };
    const message = 'must be absent: this platform has no named rules';
    const { results } = await client.signBatch([{ requestId: '1', ...named }]);
    const { details } = (results[0] as BatchFailure).error;
    expect(details).to.deep.equal({ issues: [{ path: 'rule', message }] });
    for (const call of [client.sign(named), client.verify({ ...named, signature: 'x' })]) {
      const error = await caught(call);
      if (!isServiceError(error, 'INVALID_DATA_FORMAT')) throw error;
      expect(error.details).to.deep.equal(details);
    }
  });

  it('verify distinguishes valid from invalid signatures', async () => {
    const { signature } = await client.sign(ALPHA);
    expect(await client.verify({ ...ALPHA, signature })).to.deep.equal({ valid: true });
    const other = { ...ALPHA, data: { ...DATA_A, nonce: DATA_A.nonce + 1 }, signature };
    expect(await client.verify(other)).to.deep.equal({ valid: false });
    const { payload } = await client.verify({ ...ALPHA, signature }, { includePayload: true });
    expect(payload).to.equal(canonical(DATA_A));
  });

  it('accounts lists all accounts, or those of a platform', async () => {
    const { accounts, total } = await client.accounts();
    expect(total).to.equal(SAMPLE_ACCOUNTS.length);
    expect(accounts[0]).to.include({ platformId: 'alpha', accountId: 'main', alias: 'Alpha main', status: 'active' });
    expect(accounts[0]?.usage).to.have.all.keys('totalSigns', 'lastSignAt', 'errorCount');
    const beta = await client.accounts({ platformId: 'beta' });
    expect(beta.accounts.map(({ accountId }) => accountId)).to.deep.equal(['main']);
    expect((await client.accounts({ platformId: 'no such &?=#' })).total).to.equal(0);
  });

  it('accountPage and eachAccount return each account once', async () => {
    const first = await client.accountPage({ limit: 4 });
    expect(first.accounts).to.have.lengthOf(4);
    expect(first.nextCursor).to.be.a('string');
    const collected: ListedAccount[] = [];
    for await (const account of client.eachAccount({ limit: 4 })) collected.push(account);
    const names = collected.map(({ platformId, accountId }) => `${platformId}/${accountId}`);
    expect(names).to.have.members(SAMPLE_ACCOUNTS.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
    const alpha: string[] = [];
    for await (const { accountId } of client.eachAccount({ platformId: 'alpha', limit: 1 })) alpha.push(accountId);
    expect(alpha).to.have.members(['main', 'idle']);
  });

  it('account returns one account, escaping its id in the URL', async () => {
    const account = await client.account({ platformId: 'alpha', accountId: 'main' });
    expect(account).to.include({
      alias: 'Alpha main',
      algorithm: 'ed25519',
      status: 'active',
      createdAt: account.createdAt,
    });
    const error = await caught(client.account({ platformId: 'alpha', accountId: '../status?x=#/%2f' }));
    if (!isServiceError(error, 'ACCOUNT_NOT_FOUND')) throw error;
    expect(error.details.accountId).to.equal('../status?x=#/%2f');
  });

  it('reload returns the changes, and status the current state', async () => {
    const { changes, accountCount } = await client.reload();
    expect(changes).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    expect(accountCount).to.equal(SAMPLE_ACCOUNTS.length);
    const status = await client.status();
    expect(status.status).to.equal('healthy');
    expect(status.accounts.byPlatform).to.include({ alpha: 2, beta: 1 });
    expect(status.config.lastReload?.outcome).to.equal('success');
  });

  it('readiness reports the checks, without a permission', async () => {
    const { ready, checks } = await client.readiness();
    expect(ready).to.equal(true);
    expect(checks['selfTest']?.ok).to.equal(true);
    expect(attempts.map(({ path }) => path)).to.deep.equal(['/readyz']);
  });

  it('reuse one connection', async () => {
    for (let index = 0; index < 5; index += 1) await client.sign(ALPHA);
    await client.status();
    expect(attempts.map(({ reusedConnection }) => reusedConnection)).to.deep.equal([false, ...Array(5).fill(true)]);
    expect(attempts[0]).to.include({ method: 'POST', path: '/sign', attempt: 1, status: 200 });
  });

  it('ignore exceptions of onAttempt', async () => {
    const listening = new SigningClient({
      url: `http://127.0.0.1:${service.port}`,
      onAttempt: () => {
        throw new Error('Of the listener.');
      },
    });
    expect((await listening.sign(ALPHA)).algorithm).to.equal('ed25519');
    listening.close();
  });

  it('propagate request id and trace to the audit record and to errors', async () => {
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const call = client.sign({ ...ALPHA, accountId: 'nobody' }, { requestId: 'order-7:1', traceparent });
    const error = await caught(call);
    expect(isServiceError(error) && error.requestId).to.equal('order-7:1');
    const record = service.records.entries.find(({ correlationId }) => correlationId === 'order-7:1');
    expect(record).to.include({ event: 'sign', errorCode: 'ACCOUNT_NOT_FOUND', traceparent });
  });

  it('generate a request id that appears in the audit record', async () => {
    const error = await caught(client.sign({ ...ALPHA, accountId: 'nobody' }));
    if (!isServiceError(error)) throw error;
    expect(service.records.entries.map(({ correlationId }) => correlationId)).to.include(error.requestId);
  });
});
