import { inspect } from 'node:util';
import { expect } from 'chai';
import { SigningClient, type SigningClientOptions } from '../../src/client/client.ts';
import { TestKey } from '../authentication/parties.ts';
import { CLIENT_TOKEN } from '../harness/authenticated-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caught } from './caught.ts';
import { ScriptedServer, SIGNED } from './scripted-server.ts';

const URL_OF_NOBODY = 'http://127.0.0.1:9';
const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const SEED = 'c1'.repeat(32);
const PUBLIC = '5e'.repeat(32);
const AUTHENTICATION = {
  ...{ privateKey: SEED, token: CLIENT_TOKEN.toString('base64') },
  ...{ serviceKey: PUBLIC, authorityKeys: [PUBLIC] },
};

class Price {
  readonly value = 1;
}

describe('SigningClient arguments', () => {
  const wrong: { readonly [name: string]: readonly [object, RegExp] } = {
    'no URL': [{ url: 'signing.internal:8080' }, /https: or http:/],
    'no URL at all': [{ url: '' }, /url is not a valid URL/],
    'another protocol': [{ url: 'ftp://signing.internal' }, /https: or http:/],
    'a password in the URL': [{ url: 'http://user:hunter2@signing.internal' }, /must not contain a user or password/],
    'a query': [{ url: 'http://signing.internal?x' }, /query or fragment/],
    'an invalid operators URL': [{ adminUrl: 'x' }, /adminUrl is not a valid URL/],
    'an unknown option': [{ timeout: 5 }, /Unknown option timeout of SigningClient/],
    'an unknown option of TLS': [
      { url: 'https://x', tls: { rejectUnauthorized: false } },
      /Unknown option rejectUnauthorized of tls/,
    ],
    'an unknown option of retry': [{ retry: { retries: 3 } }, /Unknown option retries of retry/],
    'an unknown option of authentication': [
      { authentication: { ...AUTHENTICATION, key: '' } },
      /Unknown option key of authentication/,
    ],
    'TLS for http': [{ tls: {} }, /the URL is not https/],
    'a certificate without its key': [
      { url: 'https://x', tls: { cert: '-----BEGIN CERTIFICATE-----' } },
      /must be set together/,
    ],
    'a file name for PEM': [{ url: 'https://x', tls: { ca: 'ca.pem' } }, /tls\.ca is not PEM; pass a file as/],
    'an invalid certificate': [
      { url: 'https://x', tls: { cert: '-----BEGIN CERTIFICATE-----\nAAAA\n', key: '-----BEGIN PRIVATE KEY-----' } },
      /OpenSSL rejects the tls options/,
    ],
    'no time at all': [{ timeoutMs: 0 }, /timeoutMs must be an integer from 1 to 3600000/],
    'half a millisecond': [{ connectTimeoutMs: 0.5 }, /connectTimeoutMs/],
    'no connection': [{ maxConnections: 0 }, /maxConnections/],
    'no attempt': [{ retry: { attempts: 0 } }, /retry\.attempts must be an integer from 1 to 10/],
    'a pin without an account': [{ pinnedKeys: { alpha: PUBLIC } }, /platformId\/accountId/],
    'a pin that is no key': [{ pinnedKeys: { 'alpha/main': 'x' } }, /is not a public key/],
    'a pin of base58 that is not of 32 bytes': [
      { pinnedKeys: { 'alpha/main': 'z'.repeat(44) } },
      /is not a public key/,
    ],
    'a rule that has no name here': [
      { verifySignatures: 'always', expectedPayloads: { alpha: 'query' } },
      /expectedPayloads\['alpha'\] must be jcs, json, raw or a function/,
    ],
    'payloads that nobody looks at': [{ expectedPayloads: { alpha: 'jcs' } }, /verifySignatures is never/],
    'no private key': [
      { authentication: { ...AUTHENTICATION, privateKey: 'secret-canary' } },
      /must be an Ed25519 private key/,
    ],
    'a token of another key': [
      { authentication: { ...AUTHENTICATION, privateKey: 'd1'.repeat(32) } },
      /does not match authentication\.privateKey/,
    ],
    'no token': [{ authentication: { ...AUTHENTICATION, token: 'AAAA' } }, /must be an access token/],
    'no key of the service': [
      { authentication: { ...AUTHENTICATION, serviceKey: 'x' } },
      /serviceKey must be an Ed25519/,
    ],
    'no authority': [{ authentication: { ...AUTHENTICATION, authorityKeys: [] } }, /authorityKeys is empty/],
  };
  for (const [name, [options, message]] of Object.entries(wrong)) {
    it(`rejects an invalid option: ${name}`, () => {
      const make = () => new SigningClient({ url: URL_OF_NOBODY, ...options } as SigningClientOptions);
      expect(make).to.throw(Error, message);
      try {
        make();
      } catch (error) {
        expect(error).to.satisfy((thrown: unknown) => thrown instanceof TypeError || thrown instanceof RangeError);
        expect(inspect(error)).to.not.match(/hunter2|secret-canary/);
      }
    });
  }

  it("reports Node's error for a missing file", () => {
    const tls = { ca: { file: '/nowhere/ca.pem' } };
    expect(() => new SigningClient({ url: 'https://x', tls })).to.throw(/ENOENT.*\/nowhere\/ca\.pem/);
  });

  it('rejects a PEM file without a key, without showing its content', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nsecret-canary\n-----END PRIVATE KEY-----\n';
    const authentication = { ...AUTHENTICATION, privateKey: pem };
    expect(() => new SigningClient({ url: URL_OF_NOBODY, authentication }))
      .to.throw(TypeError)
      .that.satisfies((error: Error) => !inspect(error).includes('secret-canary'));
  });

  it('shows no key when printed', () => {
    expect(new TestKey(0xc1).seed.toString('hex')).to.equal(SEED);
    const client = new SigningClient({ url: URL_OF_NOBODY, authentication: AUTHENTICATION });
    const printed = inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client);
    expect(printed).to.not.include(SEED).and.not.include(AUTHENTICATION.token);
  });

  describe('of a call', () => {
    const server = new ScriptedServer();
    let client: SigningClient;
    before(async () => {
      client = new SigningClient({ url: await server.listen() });
      server.play(SIGNED);
    });
    after(() => server.close());

    const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) });
    const circle: Record<string, unknown> = {};
    circle['in'] = circle;
    const unsignable: { readonly [name: string]: readonly [unknown, string] } = {
      'NaN, which JSON would write as null': [{ price: Number.NaN }, 'data.price is NaN'],
      infinity: [{ price: [Number.POSITIVE_INFINITY] }, 'data.price[0] is Infinity'],
      'an integer that was rounded': [{ orderId: 2 ** 53 }, 'data.orderId is an integer beyond'],
      'undefined, which JSON would leave out': [{ a: { price: undefined } }, 'data.a.price is undefined'],
      'a hole, which JSON would write as null': [{ prices: new Array(1) }, 'data.prices[0] is undefined'],
      'a BigInt': [{ amount: 1n }, 'data.amount is bigint'],
      'a function': [{ amount: () => 1 }, 'data.amount is function'],
      'a date, which JSON would write in its own way': [{ at: new Date(0) }, 'data.at is a class instance'],
      'an object of a class': [{ price: new Price() }, 'data.price is a class instance'],
      'a map, which JSON would write as {}': [{ prices: new Map([['a', 1]]) }, 'data.prices is a class instance'],
      'an object that says of itself what it is in JSON': [
        { price: { toJSON: () => 7 } },
        'data.price is a class instance',
      ],
      'too many levels': [{ in: deep(64) }, 'is nested deeper than 64 levels'],
      'a circle': [circle, 'is nested deeper than 64 levels'],
    };
    for (const [name, [data, message]] of Object.entries(unsignable)) {
      it(`rejects unsignable data before sending: ${name}`, async () => {
        const request = { ...ALPHA, data: data as typeof DATA_A };
        for (const call of [
          client.sign(request),
          client.signBatch([{ requestId: '1', ...request }]),
          client.verify({ ...request, signature: 'x' }),
        ]) {
          const error = await caught(call);
          expect(error).to.be.instanceOf(TypeError);
          expect((error as Error).message).to.include(message.replace(/^data/, ''));
        }
        expect(server.seen).to.deep.equal([]);
      });
    }

    const calls: { readonly [name: string]: object } = {
      'a request id that the service would not take': { requestId: 'order 7' },
      'a request id with a line break': { requestId: 'a\r\nX-Forwarded-For: 1' },
      'a request id that is too long': { requestId: 'a'.repeat(129) },
      'an invalid traceparent': { traceparent: '00-zz' },
      'a traceparent of zeros': { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` },
      'an unknown option': { timeout: 5 },
      'no time': { timeoutMs: 0 },
    };
    for (const [name, options] of Object.entries(calls)) {
      it(`rejects an invalid call option before sending: ${name}`, async () => {
        for (const call of [client.sign(ALPHA, options), client.status(options), client.accounts({}, options)]) {
          expect(await caught(call)).to.satisfy(
            (error: unknown) => error instanceof TypeError || error instanceof RangeError,
          );
        }
        expect(server.seen).to.deep.equal([]);
      });
    }

    it('sends JSON-compatible data unchanged', async () => {
      const data = {
        text: 'é"\\\u2028',
        zero: 0,
        small: 1e-7,
        no: null,
        yes: true,
        list: [1, [2]],
        bare: Object.create(null),
      };
      await client.sign(
        { ...ALPHA, data },
        { requestId: 'order-7:1', traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` },
      );
      const [seen] = server.seen.splice(0);
      expect(JSON.parse(seen?.body ?? '')).to.deep.equal({ ...ALPHA, data: { ...data, bare: {} } });
      expect(seen?.headers).to.include({
        'x-request-id': 'order-7:1',
        traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
      });
      expect(seen?.headers).to.include({ 'content-type': 'application/json', accept: 'application/json' });
      expect(seen?.headers).to.not.have.any.keys('origin', 'authorization', 'cookie', 'signing-request-auth');
    });

    it('generates a request id', async () => {
      await client.sign(ALPHA);
      await client.sign(ALPHA);
      const ids = server.seen.splice(0).map(({ headers }) => headers['x-request-id']);
      for (const id of ids)
        expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(new Set(ids).size).to.equal(2);
    });
  });
});
