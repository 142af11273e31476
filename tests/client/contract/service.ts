import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { TIME_WINDOW_MS } from '../../../src/domain/model/authentication.ts';
import { TestKey } from '../../authentication/parties.ts';
import { canonicalize } from '../../harness/canonicalize.ts';
import { addAccount } from '../../harness/run-command.ts';
import { type ServiceHere, Workplace } from '../../harness/service-process.ts';
import { verifiesEd25519 } from '../../harness/signature-checks.ts';
import { type SecuredService, startSecuredService } from '../secured-service.ts';
import type { ClientDriver, ContractOptions, DriverCall } from './driver.ts';

const ORDER = { platformId: 'desk', accountId: 'main', data: { side: 'buy', amount: '1', text: 'é' } };
const SIGN: DriverCall = { call: 'sign', request: ORDER };
const PAYLOAD = canonicalize(ORDER.data);

function permit(file: string, permissions: readonly object[]): void {
  const credentials = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...credentials, permissions }));
}

/** Contract of every client with the service, over HTTP. */
export function itUsesTheService(getDriver: () => ClientDriver): void {
  const place = new Workplace({ SIGNING_RATE_LIMIT_PER_ACCOUNT: '40', SIGNING_RATE_LIMIT_WINDOW_SECONDS: '3600' });
  let service: ServiceHere;

  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'desk', '--format', 'any');
    for (const name of ['main', 'busy', 'idle']) await addAccount(place.environment, 'desk', name, 'ed25519');
    await place.prepare('platform', 'add', '--platform', 'chain', '--format', 'B');
    await addAccount(place.environment, 'chain', 'main', 'eip191');
    await place.prepare('platform', 'add', '--platform', 'closed', '--format', 'any');
    await addAccount(place.environment, 'closed', 'main', 'ed25519');
    await place.prepare('platform', 'add', '--platform', 'ordered', '--preset', 'hyperliquid');
    writeFileSync(place.path('ordered.hex'), '11'.repeat(32), { mode: 0o600 });
    const ordered = ['--platform', 'ordered', '--account', 'main', '--algorithm', 'hyperliquid-l1'];
    await place.prepare('account', 'add', ...ordered, '--key-file', place.path('ordered.hex'));
    await place.prepare('account', 'disable', '--platform', 'desk', '--account', 'idle');
    permit(place.path('credentials.json'), [
      { principals: ['anonymous'], accounts: ['desk/*', 'chain/*', 'ordered/*'], operations: ['*'] },
    ]);
    service = await place.startHere();
  });
  after(() => place.remove());
  beforeEach(() => getDriver().open({ url: service.url }));

  it('signs', async () => {
    const { publicKey, signature, algorithm, encoding } = await getDriver().done(SIGN);
    expect([algorithm, encoding]).to.deep.equal(['ed25519', 'base58']);
    expect(verifiesEd25519(publicKey, PAYLOAD, signature)).to.equal(true);
  });

  it('sends the members of data in the order of the caller, which Hyperliquid hashes', async () => {
    const order = { a: 1, b: true, p: '100', s: '100', r: false, t: { limit: { tif: 'Gtc' } } };
    const data = { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: 0 };
    const request = { platformId: 'ordered', accountId: 'main', data };
    const { signature } = await getDriver().done({ call: 'sign', request });
    // As eth-account and hyperliquid-python-sdk make it, with the key 11…11.
    expect(signature).to.equal(
      '0xb601c47f6a0e14a5ce57db81c9f1b718941cd68fd50fffc3104e82911dd76571' +
        '38e8b8caf143f235871a6b229d1b2b1bd0f666366349c2a43bf222ab6f2a27771b',
    );
    const { results } = await getDriver().done({ call: 'signBatch', requests: [{ requestId: '1', ...request }] });
    expect(results[0].signature).to.equal(signature);
    expect((await getDriver().done({ call: 'verify', request: { ...request, signature } })).valid).to.equal(true);
  });

  it('signs a batch, in which items fail independently', async () => {
    const items = [ORDER, { ...ORDER, accountId: 'nobody' }, { ...ORDER, accountId: 'idle' }, ORDER];
    const requests = items.map((item, index) => ({ requestId: `r-${index}`, ...item }));
    const { results, summary } = await getDriver().done({ call: 'signBatch', requests });
    expect(summary).to.deep.equal({ total: 4, successful: 2, failed: 2 });
    expect(results.map(({ requestId }: { requestId: string }) => requestId)).to.deep.equal([
      'r-0',
      'r-1',
      'r-2',
      'r-3',
    ]);
    expect(results[1]).to.nested.include({ status: 'failed', 'error.code': 'ACCOUNT_NOT_FOUND' });
    expect(results[2].error.code).to.equal('ACCOUNT_INACTIVE');
    const { publicKey } = await getDriver().done({
      call: 'account',
      request: { platformId: 'desk', accountId: 'main' },
    });
    expect(verifiesEd25519(publicKey, PAYLOAD, results[3].signature)).to.equal(true);
  });

  it('verifies', async () => {
    const { signature } = await getDriver().done(SIGN);
    const verify = (request: object) => getDriver().done({ call: 'verify', request });
    expect((await verify({ ...ORDER, signature })).valid).to.equal(true);
    expect((await verify({ ...ORDER, data: { side: 'sell' }, signature })).valid).to.equal(false);
  });

  it('reads accounts, in one response, by page and one by one', async () => {
    const names = (accounts: readonly { accountId: string }[]) => accounts.map(({ accountId }) => accountId).sort();
    const request = { platformId: 'desk' };
    const list = await getDriver().done({ call: 'accounts', request });
    expect(list.total).to.equal(3);
    expect(names(list.accounts)).to.deep.equal(['busy', 'idle', 'main']);
    const page = await getDriver().done({ call: 'accountPage', request: { ...request, limit: 2 } });
    expect([page.accounts.length, typeof page.nextCursor]).to.deep.equal([2, 'string']);
    const all = await getDriver().done({ call: 'eachAccount', request: { ...request, limit: 2 } });
    expect(names(all)).to.deep.equal(['busy', 'idle', 'main']);
    expect(all[0].usage).to.include.keys('totalSigns', 'errorCount');
    const account = await getDriver().done({ call: 'account', request: { ...request, accountId: 'idle' } });
    expect(account).to.include({ status: 'disabled', algorithm: 'ed25519' });
  });

  it('reads the status and reloads', async () => {
    expect((await getDriver().done({ call: 'status' })).performance.totalSigns).to.be.above(0);
    const { changes, accountCount } = await getDriver().done({ call: 'reload' });
    expect(changes).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    expect(accountCount).to.equal(6);
  });

  it('reports refusals', async () => {
    for (const [call, status, code] of [
      [{ ...SIGN, request: { ...ORDER, accountId: 'nobody' } }, 404, 'ACCOUNT_NOT_FOUND'],
      [{ ...SIGN, request: { ...ORDER, accountId: 'idle' } }, 423, 'ACCOUNT_INACTIVE'],
      [{ ...SIGN, request: { ...ORDER, platformId: 'nowhere' } }, 400, 'PLATFORM_NOT_SUPPORTED'],
      [{ ...SIGN, request: { platformId: 'chain', accountId: 'main', data: {} } }, 400, 'INVALID_DATA_FORMAT'],
      [{ ...SIGN, request: { ...ORDER, platformId: 'closed' } }, 403, 'FORBIDDEN'],
    ] as const) {
      const error = await getDriver().refused({ ...call, options: { requestId: 'order-7' } });
      const expected = { kind: 'service', status, code, mayHaveBeenDone: false, requestId: 'order-7' };
      expect(error).to.include(expected);
      expect(error.details).to.not.equal(undefined);
    }
  });

  it('rejects another key than the pinned one', async () => {
    const { publicKey } = await getDriver().done(SIGN);
    const read = { call: 'account', request: { platformId: 'desk', accountId: 'main' } };
    await getDriver().open({ url: service.url, pinnedKeys: { 'desk/main': publicKey }, pinnedKeysOnly: true });
    await getDriver().done(SIGN);
    await getDriver().done(read);
    const chain = { platformId: 'chain', accountId: 'main', data: { message: 'x' } };
    const unpinned = await getDriver().refused({ call: 'sign', request: chain });
    expect(unpinned).to.include({ kind: 'verification', reason: 'KEY_NOT_PINNED' });
    await getDriver().open({
      url: service.url,
      pinnedKeys: { 'desk/main': '9hdr8SYDibjubvqvXXymL53a78EFCvq9utaEuEvp2Qsw' },
    });
    for (const call of [SIGN, read]) {
      expect(await getDriver().refused(call)).to.include({
        ...{ kind: 'verification', reason: 'KEY_CHANGED', mayHaveBeenDone: true, receivedKey: publicKey },
      });
    }
    await getDriver().open({ url: service.url, pinnedKeys: { 'chain/main': publicKey } });
    expect(await getDriver().refused({ call: 'sign', request: chain })).to.include({ reason: 'KEY_CHANGED' });
  });

  it('reports a rate limit, and how long to wait', async () => {
    const busy = { ...ORDER, accountId: 'busy' };
    const requests = Array.from({ length: 40 }, (_, index) => ({ requestId: `${index}`, ...busy }));
    expect((await getDriver().done({ call: 'signBatch', requests })).summary.successful).to.equal(40);
    const error = await getDriver().refused({ call: 'sign', request: busy });
    expect(error).to.include({ kind: 'service', code: 'RATE_LIMITED', status: 429, mayHaveBeenDone: false });
    // An hour, and the tenth by which a charge may count longer.
    expect(error.retryAfterMs).to.be.within(1, 3_960_000);
  });
}

/** Contract of every client that verifies Ed25519 signatures. */
export function itVerifiesSignatures(getDriver: () => ClientDriver): void {
  const place = new Workplace();
  let service: ServiceHere;
  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'desk', '--format', 'any');
    await addAccount(place.environment, 'desk', 'main', 'ed25519');
    service = await place.startHere();
  });
  after(() => place.remove());

  it('by the pinned key, also of batches', async () => {
    const requests = [{ requestId: '1', ...ORDER }];
    await getDriver().open({ url: service.url, verifySignatures: 'always' });
    const { publicKey, verified, payload } = await getDriver().done(SIGN);
    expect([verified, payload]).to.deep.equal([true, PAYLOAD]);
    expect(await getDriver().refused({ call: 'signBatch', requests })).to.include({ reason: 'NOT_VERIFIABLE' });
    await getDriver().open({ url: service.url, pinnedKeys: { 'desk/main': publicKey } });
    expect((await getDriver().done(SIGN)).verified).to.equal(true);
    expect((await getDriver().done({ call: 'signBatch', requests })).results[0].verified).to.equal(true);
    const other = '9hdr8SYDibjubvqvXXymL53a78EFCvq9utaEuEvp2Qsw';
    await getDriver().open({ url: service.url, pinnedKeys: { 'desk/main': other } });
    expect(await getDriver().refused({ call: 'signBatch', requests })).to.include({ reason: 'WRONG_SIGNATURE' });
  });
}

/** Contract of every client with client certificates and access tokens, over HTTPS. */
export function itUsesTheSecuredService(getDriver: () => ClientDriver): void {
  let secured: SecuredService;
  let options: ContractOptions;

  before(async () => {
    const { now } = Date;
    // Without Redis the service rejects requests made before it started, give or take the window.
    Date.now = () => now() - TIME_WINDOW_MS - 1000;
    try {
      secured = await startSecuredService();
    } finally {
      Date.now = now;
    }
    const { service, authentication, place } = secured;
    const tls = { ...secured.tls, key: { file: place.path('bot.key') } };
    options = { url: service.url, adminUrl: service.adminUrl ?? '', tls, authentication };
  });
  after(() => secured.place.remove());

  it('signs, reads and reloads, authenticated on both sides', async () => {
    await getDriver().open(options);
    const { publicKey, signature } = await getDriver().done(SIGN);
    expect(verifiesEd25519(publicKey, PAYLOAD, signature)).to.equal(true);
    expect((await getDriver().done({ call: 'accounts', request: {} })).total).to.equal(1);
    expect((await getDriver().done({ call: 'accountPage', request: { limit: 1 } })).accounts).to.have.lengthOf(1);
    expect((await getDriver().done({ call: 'status' })).status).to.equal('healthy');
    expect((await getDriver().done({ call: 'reload' })).accountCount).to.equal(1);
    expect(await getDriver().done({ call: 'parallelSign', request: ORDER, times: 20 })).to.have.lengthOf(20);
  });

  it('receives signed refusals', async () => {
    await getDriver().open(options);
    const error = await getDriver().refused({ ...SIGN, request: { ...ORDER, accountId: 'nobody' } });
    expect(error).to.include({ kind: 'service', code: 'ACCOUNT_NOT_FOUND', mayHaveBeenDone: false });
  });

  it('reports what is wrong with its credentials', async () => {
    const { tls, authentication, ...urls } = options;
    const { ca, cert, key } = tls ?? {};
    await getDriver().open({ ...urls, ...(tls !== undefined && { tls }) });
    expect(await getDriver().refused(SIGN)).to.nested.include({
      ...{ kind: 'service', code: 'UNAUTHENTICATED', 'details.reason': 'AUTHENTICATION_REQUIRED' },
    });
    await getDriver().open({ ...options, tls: { ...(ca !== undefined && { ca }) } });
    expect((await getDriver().refused(SIGN)).message).to.include('CLIENT_CERTIFICATE_REQUIRED');
    await getDriver().open({
      ...options,
      tls: { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
    });
    expect(await getDriver().refused(SIGN)).to.include({ kind: 'network', mayHaveBeenDone: false });
    if (authentication === undefined) throw new TypeError('The service has authentication.');
    const serviceKey = new TestKey(0x78).publicKey.toString('hex');
    await getDriver().open({ ...options, authentication: { ...authentication, serviceKey } });
    expect((await getDriver().refused(SIGN)).claimed?.details).to.include({ reason: 'WRONG_SERVICE' });
    const authorityKeys = [new TestKey(0x79).publicKey.toString('hex')];
    await getDriver().open({ ...options, authentication: { ...authentication, authorityKeys } });
    expect(await getDriver().refused(SIGN)).to.include({ kind: 'untrusted', reason: 'UNKNOWN_AUTHORITY' });
  });
}
