import { expect } from 'chai';
import { getResponseContent, isSignature, issueToken, requestContent, TestKey } from '../../authentication/parties.ts';
import { bytesField, readBytesFields } from '../../authentication/wire.ts';
import { AUTHORITY, CLIENT, SERVICE } from '../../harness/authenticated-service.ts';
import { hangUp, refusal, ScriptedServer, type SeenRequest, SIGNED, type Step } from '../scripted-server.ts';
import type { ClientDriver, DriverCall } from './driver.ts';

const FAR = '2099-01-01T00:00:00.000Z';
const TOKEN = issueToken(AUTHORITY, { username: 'desk-1', publicKey: CLIENT.publicKey, expirationTime: FAR });
const AUTHENTICATION = {
  privateKey: CLIENT.seed.toString('hex'),
  token: TOKEN.toString('base64'),
  serviceKey: SERVICE.publicKey.toString('hex'),
  authorityKeys: [new TestKey(0x11).publicKey.toString('hex'), AUTHORITY.publicKey.toString('hex')],
};
const ORDER = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', text: 'é' } };
const SIGN: DriverCall = { call: 'sign', request: ORDER };
const FAST = { baseDelayMs: 5, maxDelayMs: 20 };
const BODY = JSON.stringify({
  success: true,
  data: { signature: 'x', algorithm: 'ed25519', encoding: 'base58', publicKey: 'y', signedAt: FAR },
});

/** A RequestAuthInfo; its third field is a double. */
function readRequest({ headers }: SeenRequest) {
  const message = Buffer.from(String(headers['signing-request-auth']), 'base64');
  const at = message.length - (8 + 1) - 18 - 66;
  const before = readBytesFields(message.subarray(0, at));
  const behind = readBytesFields(message.subarray(at + 9));
  expect(message[at]).to.equal(0x19);
  const [token, servicePublicKey, nonce, signature] = [before.get(1), before.get(2), behind.get(4), behind.get(5)];
  return { message, token, servicePublicKey, time: message.readDoubleLE(at + 1), nonce, signature } as {
    readonly [Name in 'message' | 'token' | 'servicePublicKey' | 'nonce' | 'signature']: Buffer;
  } & { readonly time: number };
}

interface Forgery {
  readonly key?: TestKey;
  readonly authority?: TestKey;
  readonly expirationTime?: string;
  readonly nonce?: Buffer;
  readonly body?: string;
  readonly status?: number;
  readonly message?: Buffer;
  readonly change?: (header: Buffer) => Buffer;
  /** Behind the base64 of the header. */
  readonly suffix?: string;
}

/** The service's signed response, with something wrong. */
function responds(forgery: Forgery = {}): Step {
  return (response, request) => {
    const { message, nonce } = readRequest(request);
    const {
      key = SERVICE,
      authority = AUTHORITY,
      expirationTime = FAR,
      change = (header) => header,
      suffix = '',
    } = forgery;
    const token = issueToken(authority, { username: 'signing-service', publicKey: key.publicKey, expirationTime });
    const claims = Buffer.concat([bytesField(1, token), bytesField(2, forgery.nonce ?? nonce)]);
    const signed = { status: forgery.status ?? 200, body: forgery.body ?? BODY };
    const signature = key.sign(getResponseContent(claims, forgery.message ?? message, signed));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'X-Correlation-Id': 'of-the-service',
      'Signing-Response-Auth': change(Buffer.concat([claims, bytesField(3, signature)])).toString('base64') + suffix,
    });
    response.end(BODY);
  };
}

/** Contract of mutual authentication (docs/callers/authentication.md), with scripted responses. */
export function itAuthenticates(getDriver: () => ClientDriver): void {
  const server = new ScriptedServer();
  before(() => server.listen());
  after(() => server.close());
  beforeEach(() => getDriver().open({ url: server.url, authentication: AUTHENTICATION, retry: FAST }));

  it('signs each attempt as specified, with the current time and a new nonce', async () => {
    const busy: Step = (response, request) => {
      response.writeHead(503, { 'Retry-After': '0' });
      expect(request.method).to.equal('GET');
      response.end();
    };
    server.play(responds());
    const before = Date.now() / 1000;
    await getDriver().done({ call: 'sign', request: ORDER, options: { includePayload: false } });
    await getDriver().refused({ call: 'accountPage', request: { platformId: 'a b' } });
    server.play(hangUp, hangUp, busy);
    await getDriver().refused({ call: 'status' });
    expect(server.seen).to.have.lengthOf(3);
    const nonces = new Set<string>();
    for (const seen of server.seen) {
      const { message: _, signature, ...claims } = readRequest(seen);
      expect(claims.token).to.deep.equal(TOKEN);
      expect(claims.servicePublicKey).to.deep.equal(SERVICE.publicKey);
      expect(claims.time).to.be.within(before, Date.now() / 1000);
      expect(claims.nonce.length).to.be.within(16, 64);
      const content = requestContent(claims, { method: seen.method, target: seen.target, body: seen.body });
      expect(isSignature(CLIENT.publicKey, content, signature), seen.target).to.equal(true);
      nonces.add(claims.nonce.toString('hex'));
    }
    expect(nonces.size).to.equal(3);
  });

  it('signs body and query', async () => {
    server.play(responds());
    await getDriver().done(SIGN);
    await getDriver().refused({ call: 'accountPage', request: { platformId: 'a b', cursor: '+/=' } });
    for (const seen of server.seen) {
      const { message: _, signature, ...claims } = readRequest(seen);
      const content = requestContent(claims, { method: seen.method, target: seen.target, body: seen.body });
      expect(isSignature(CLIENT.publicKey, content, signature), seen.target).to.equal(true);
    }
    expect(server.seen.map(({ method }) => method)).to.deep.equal(['POST', 'GET']);
  });

  const forgeries: { readonly [reason: string]: readonly Forgery[] } = {
    MALFORMED: [
      { suffix: '*' },
      { change: () => Buffer.from([1, 2, 3]) },
      { change: (header) => Buffer.concat([header, Buffer.from([0])]) },
      { change: (header) => header.subarray(0, -1) },
      { change: (header) => Buffer.concat([Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x01]), header]) },
    ],
    UNKNOWN_AUTHORITY: [{ authority: new TestKey(0x12) }],
    WRONG_SERVICE: [{ key: new TestKey(0x13) }],
    TOKEN_EXPIRED: [{ expirationTime: '2020-01-01T00:00:00Z' }, { expirationTime: 'later' }],
    WRONG_NONCE: [{ nonce: Buffer.alloc(16, 7) }],
    INVALID_SIGNATURE: [{ body: `${BODY} ` }, { status: 400 }, { message: Buffer.from('another request') }],
  };
  for (const [reason, wrong] of Object.entries(forgeries)) {
    it(`rejects a response: ${reason}`, async () => {
      for (const forgery of wrong) {
        server.play(responds(forgery));
        const error = await getDriver().refused(SIGN);
        expect(error).to.include({ kind: 'untrusted', reason, mayHaveBeenDone: true });
        expect(server.seen).to.have.lengthOf(1);
      }
    });
  }

  it('rejects an unsigned response, and reports its claim', async () => {
    server.play(SIGNED);
    expect(await getDriver().refused(SIGN)).to.include({ kind: 'untrusted', reason: 'UNSIGNED' });
    server.play(refusal(401, 'UNAUTHENTICATED', { reason: 'TOKEN_EXPIRED' }));
    const error = await getDriver().refused(SIGN);
    expect(error).to.include({ kind: 'untrusted', reason: 'UNSIGNED' });
    expect(error.claimed).to.include({ kind: 'service', code: 'UNAUTHENTICATED', status: 401 });
    expect(error.message).to.include('TOKEN_EXPIRED');
  });

  it('does not repeat a call after an unsigned refusal over HTTP', async () => {
    server.play(refusal(503, 'OVERLOADED', {}, { 'Retry-After': '0' }), responds());
    expect(await getDriver().refused(SIGN)).to.include({ kind: 'untrusted', reason: 'UNSIGNED' });
    expect(server.seen).to.have.lengthOf(1);
  });

  it('takes a key in PEM', async () => {
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), CLIENT.seed]);
    const privateKey = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    await getDriver().open({ url: server.url, authentication: { ...AUTHENTICATION, privateKey } });
    server.play(responds());
    await getDriver().done(SIGN);
  });

  it('shows no key material, also of invalid options', async () => {
    const options = { url: server.url, authentication: AUTHENTICATION };
    const secrets = [
      AUTHENTICATION.privateKey,
      AUTHENTICATION.token,
      String([...CLIENT.seed]),
      [...CLIENT.seed].join(' '),
    ];
    const shown = await getDriver().open(options);
    for (const secret of secrets) expect(shown).to.not.include(secret);
    for (const wrong of [
      { privateKey: `${AUTHENTICATION.privateKey}ff` },
      { privateKey: new TestKey(0x14).seed.toString('hex') },
      { token: `${AUTHENTICATION.token}AAAA` },
      { serviceKey: 'x' },
      { authorityKeys: [] },
      { authorityKeys: ['x'] },
    ]) {
      const error = await getDriver().openRefused({ ...options, authentication: { ...AUTHENTICATION, ...wrong } });
      expect(error.kind).to.equal('invalid');
      for (const secret of secrets) expect(error.message).to.not.include(secret);
    }
  });
}
