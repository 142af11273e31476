import { inspect } from 'node:util';
import { expect } from 'chai';
import { SigningClient, type SigningClientOptions } from '../../src/client/client.ts';
import { CLIENT_TOKEN } from '../harness/authenticated-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caught } from './caught.ts';
import { ScriptedServer, SIGNED } from './scripted-server.ts';

/* What the contract of all clients leaves open: options and arguments of the TypeScript client. */

const URL_OF_NOBODY = 'http://127.0.0.1:9';
const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const PUBLIC = '5e'.repeat(32);
const AUTHENTICATION = {
  ...{ privateKey: 'c1'.repeat(32), token: CLIENT_TOKEN.toString('base64') },
  ...{ serviceKey: PUBLIC, authorityKeys: [PUBLIC] },
};
const PEM_WITHOUT_KEY = '-----BEGIN PRIVATE KEY-----\nsecret-canary\n-----END PRIVATE KEY-----\n';

const authenticatedBy = (change: object) => ({ authentication: { ...AUTHENTICATION, ...change } });

describe('Options of SigningClient', () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ url: '' }, /url is not a valid URL/],
    [{ adminUrl: 'x' }, /adminUrl is not a valid URL/],
    [{ timeout: 5 }, /Unknown option timeout of SigningClient/],
    [{ url: 'https://x', tls: { rejectUnauthorized: false } }, /Unknown option rejectUnauthorized of tls/],
    [{ retry: { retries: 3 } }, /Unknown option retries of retry/],
    [authenticatedBy({ key: '' }), /Unknown option key of authentication/],
    [{ timeoutMs: 0 }, /timeoutMs must be an integer from 1 to 3600000/],
    [{ connectTimeoutMs: 0.5 }, /connectTimeoutMs/],
    [{ pinnedKeys: { 'alpha/main': 'x' } }, /is not a public key/],
    [{ pinnedKeys: { 'alpha/main': 'z'.repeat(44) } }, /is not a public key/],
    [{ verifySignatures: 'always', expectedPayloads: { alpha: 'query' } }, /must be jcs, json, raw or a function/],
    [{ expectedPayloads: { alpha: 'jcs' } }, /verifySignatures is never/],
    [authenticatedBy({ privateKey: 'secret-canary' }), /must be an Ed25519 private key/],
    [authenticatedBy({ privateKey: PEM_WITHOUT_KEY }), /must be an Ed25519 private key/],
  ];
  for (const [options, message] of wrong) {
    it(`are rejected with ${message}`, () => {
      try {
        new SigningClient({ url: URL_OF_NOBODY, ...options } as SigningClientOptions);
        expect.fail('It was accepted.');
      } catch (error) {
        expect(String(error)).to.match(message);
        expect(error).to.satisfy((thrown: unknown) => thrown instanceof TypeError || thrown instanceof RangeError);
        expect(inspect(error)).to.not.include('secret-canary');
      }
    });
  }

  it("report Node's error for a missing file", () => {
    const tls = { ca: { file: '/nowhere/ca.pem' } };
    expect(() => new SigningClient({ url: 'https://x', tls })).to.throw(/ENOENT.*\/nowhere\/ca\.pem/);
  });
});

describe('Arguments of SigningClient', () => {
  const server = new ScriptedServer();
  let client: SigningClient;
  before(async () => {
    client = new SigningClient({ url: await server.listen() });
  });
  beforeEach(() => server.play(SIGNED));
  after(() => server.close());

  const circle: Record<string, unknown> = {};
  circle['in'] = circle;
  const unsignable: readonly (readonly [unknown, string])[] = [
    [{ prices: new Array(1) }, '.prices[0] is undefined'],
    [{ amount: 1n }, '.amount is bigint'],
    [{ prices: new Map([['a', 1]]) }, '.prices is a class instance'],
    [{ price: { toJSON: () => 7 } }, '.price is a class instance'],
    [circle, 'is nested deeper than 64 levels'],
  ];
  for (const [data, message] of unsignable) {
    it(`are rejected before sending if data${message}`, async () => {
      const request = { ...ALPHA, data: data as typeof DATA_A };
      for (const call of [
        client.sign(request),
        client.signBatch([{ requestId: '1', ...request }]),
        client.verify({ ...request, signature: 'x' }),
      ]) {
        const error = await caught(call);
        expect(error).to.be.instanceOf(TypeError);
        expect((error as Error).message).to.include(message);
      }
      expect(server.seen).to.deep.equal([]);
    });
  }

  it('are rejected before sending if an option of a call is invalid', async () => {
    for (const options of [
      { requestId: 'order 7' },
      { requestId: 'a\r\nX-Forwarded-For: 1' },
      { requestId: 'a'.repeat(129) },
      { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` },
      { timeout: 5 },
      { timeoutMs: 0 },
    ] as object[]) {
      for (const call of [client.sign(ALPHA, options), client.status(options), client.accounts({}, options)]) {
        const error = await caught(call);
        expect(error instanceof TypeError || error instanceof RangeError, JSON.stringify(options)).to.equal(true);
      }
    }
    expect(server.seen).to.deep.equal([]);
  });

  it('are sent unchanged, with a new request id and no header of a browser', async () => {
    const data = { text: 'é"\\\u2028', zero: 0, small: 1e-7, no: null, list: [1, [2]], bare: Object.create(null) };
    await client.sign({ ...ALPHA, data });
    await client.sign(ALPHA);
    const [first, second] = server.seen;
    expect(JSON.parse(first?.body ?? '')).to.deep.equal({ ...ALPHA, data: { ...data, bare: {} } });
    expect(first?.headers).to.include({ 'content-type': 'application/json', accept: 'application/json' });
    expect(first?.headers).to.not.have.any.keys('origin', 'authorization', 'cookie', 'signing-request-auth');
    expect(first?.headers['x-request-id']).to.match(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second?.headers['x-request-id']).to.not.equal(first?.headers['x-request-id']);
  });
});
