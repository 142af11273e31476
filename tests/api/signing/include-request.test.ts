import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Signature } from 'ethers/crypto';
import request from 'supertest';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import type { Platform } from '../../../src/domain/model/platform.ts';
import { sampleCredential } from '../../doubles/credential-builder.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';

const SECRET = 'secret-of-the-tests';
const MAC = { algorithm: 'hmac-sha256', privateKey: Buffer.from(SECRET) } as const;

const ORIGINS = ['https://api.example.com', 'https://backup.example.com'];

/** Signs parts of the request, and takes the signature in a header. */
const HEADERS: Platform = {
  platformId: 'headers',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'ms' },
  send: {
    origins: ORIGINS,
    headers: {
      'X-KEY': '{account.apiKey}',
      'X-TIME': '{timestamp}',
      'X-PASS': '{passphrase}',
      'X-SIGN': ['id={account.apiKey},sig={signature}', '{signature}'],
      'X-WINDOW?': '{data.tag}',
    },
    query: '{query}',
    body: '{body}',
  },
  rules: {
    login: {
      rule: 'prehash',
      template: '{timestamp}GET/login',
      timestamp: 's',
      send: {
        message: { op: 'login', args: [{ time: '{timestamp:number}', sign: '{signature}', 'sub?': '{data.sub}' }] },
      },
    },
    silent: { rule: 'raw' },
  },
};

/** Signs parameters alone, and takes the signature among them. */
const PARAMETERS: Platform = {
  platformId: 'parameters',
  format: 'any',
  algorithms: ['hmac-sha256'],
  encoding: 'base64',
  payload: { rule: 'query', field: 'params' },
  send: {
    origins: ORIGINS,
    query: [
      { methods: ['GET', 'DELETE'], as: '{params}&signature={signature}' },
      { methods: ['POST'], as: '' },
    ],
    body: [{ methods: ['GET', 'DELETE'], as: '' }, '{params}&signature={signature}'],
  },
  rules: {
    unencoded: {
      rule: 'query',
      field: 'params',
      encode: 'none',
      send: { origins: ORIGINS, headers: { SIGN: '{signature}' }, query: '{params}' },
    },
    json: {
      rule: 'query',
      field: 'params',
      send: {
        origins: ORIGINS,
        headers: { THE_SIGN: '{signature}' },
        body: [{ list: '{data.list}', note: '{note}', sign: '{signature}' }, '{data.pairs:json}', '{params:json}'],
      },
    },
    mixed: {
      rule: 'query',
      field: 'params',
      body: 'form',
      send: { origins: ORIGINS, query: '{params}&signature={signature}', body: ['{body}', ''] },
    },
    strict: {
      rule: 'json',
      send: {
        origins: ['https://{data.host}'],
        method: 'POST',
        path: '{data.path}',
        headers: { SIGN: '{signature}', 'TAG?': '{data.tag}' },
        body: { amount: '{data.amount:number}', 'size?': '{data.size:hex}' },
      },
    },
    token: {
      rule: 'jwt',
      claims: { jti: '{data.nonce}' },
      send: {
        origins: ORIGINS,
        headers: { Authorization: 'Bearer {signature}' },
        query: '{unsigned}',
        body: '{unsigned}',
      },
    },
  },
};

/** Signs a structure, and takes the signature in the body. */
const BODY: Platform = {
  platformId: 'body',
  format: 'any',
  algorithms: ['hyperliquid-l1'],
  payload: { rule: 'hyperliquid-l1', network: 'mainnet' },
  send: {
    origins: ['https://api.example.com/base'],
    method: 'POST',
    path: '/exchange',
    body: {
      action: '{data.action}',
      nonce: '{data.nonce}',
      signature: '{signature:rsv}',
      'vaultAddress?': '{data.vaultAddress}',
    },
  },
  rules: {
    user: {
      rule: 'typed-data',
      algorithm: 'eip712',
      send: {
        origins: ORIGINS,
        from: {
          'data.primaryType': { ping: 'Ping' },
          'data.domain.name': { 'POST /first': 'First', 'PUT /second': 'Second' },
        },
        body: {
          action: { type: '{data.primaryType}', chain: '{data.domain.chainId:hex}', '*': '{data.message}' },
          nonce: ['{data.message.nonce}'],
          signature: '{signature}',
        },
      },
    },
  },
};

const PLATFORMS = [HEADERS, PARAMETERS, BODY];

interface Included {
  readonly signature: string;
  readonly payload?: string;
  readonly request?: JsonObject & { readonly url: string; readonly body: string; readonly headers: JsonObject };
}

describe('?include=request', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
    service.credentials.contain({
      platforms: PLATFORMS,
      accounts: [
        sampleCredential({ platformId: 'headers', ...MAC }),
        sampleCredential({ platformId: 'headers', accountId: 'named', values: { apiKey: 'key-1' }, ...MAC }),
        sampleCredential({ platformId: 'parameters', ...MAC }),
        sampleCredential({ platformId: 'body', algorithm: 'hyperliquid-l1' }),
      ],
      policies: [
        {
          name: 'no',
          accounts: ['headers/*'],
          effect: 'deny',
          when: 'rule == "default" && signed.path == "/withdraw"',
        },
      ],
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
  });
  after(() => service.close());

  const post = (body: object, query = 'include=request') =>
    request(service.server).post(`/api/v1/sign?${query}`).send(body);
  const sign = async (platformId: string, data: JsonObject, more: object = {}, query?: string) =>
    expectData<Included>(await post({ platformId, accountId: 'main', data, ...more }, query));

  const expectIssue = async (call: object, path: string) => {
    const { details } = expectError(await post({ accountId: 'main', ...call }), 400, 'INVALID_DATA_FORMAT');
    expect(details, JSON.stringify(call)).to.have.nested.property('issues[0].path', path);
  };

  const ORDER = { timestamp: 1700000000000, method: 'post', path: '/order', body: { side: 'buy', note: 'é "{body}"' } };

  it('gives the request with its signed parts byte for byte, and names what the service does not hold', async () => {
    const text = '{"side":"buy","note":"é \\"{body}\\""}';
    const signature = createHmac('sha256', SECRET).update(`1700000000000POST/order${text}`).digest('hex');
    expect((await sign('headers', ORDER)).request).to.deep.equal({
      method: 'POST',
      url: 'https://api.example.com/order',
      headers: {
        'Content-Type': 'application/json',
        'X-KEY': '{apiKey}',
        'X-TIME': '1700000000000',
        'X-PASS': '{passphrase}',
        'X-SIGN': `id={apiKey},sig=${signature}`,
      },
      body: text,
      missing: ['apiKey', 'passphrase'],
    });
  });

  it("writes the account's own values, a query, and optional headers", async () => {
    const data = {
      timestamp: 1700000000000,
      method: 'GET',
      path: '/orders',
      query: { name: 'a b', at: 'ü' },
      tag: 5,
    };
    const { request: written } = await sign('headers', data, { accountId: 'named' });
    expect(written).to.deep.include({ method: 'GET', url: 'https://api.example.com/orders?name=a%20b&at=%C3%BC' });
    expect(written)
      .to.deep.include({ missing: ['passphrase'] })
      .and.not.have.property('body');
    expect(written?.headers).to.include({ 'X-KEY': 'key-1', 'X-WINDOW': '5' }).and.not.have.property('Content-Type');
  });

  it('gives the message of a WebSocket', async () => {
    const signature = createHmac('sha256', SECRET).update('1700000000GET/login').digest('hex');
    expect((await sign('headers', { timestamp: 1700000000 }, { rule: 'login' })).request).to.deep.equal({
      message: `{"op":"login","args":[{"time":1700000000,"sign":"${signature}"}]}`,
      missing: [],
    });
  });

  it('puts a percent-encoded signature behind the parameters, in the query or a form, by method', async () => {
    const params = { symbol: 'A/B', timestamp: 1 };
    const text = 'symbol=A%2FB&timestamp=1';
    const mac = encodeURIComponent(createHmac('sha256', SECRET).update(text).digest('base64'));
    const read = await sign('parameters', { method: 'GET', endpoint: '/v1/orders', params });
    expect(read.request?.url).to.equal(`https://api.example.com/v1/orders?${text}&signature=${mac}`);
    expect(read.request).to.not.have.property('body');
    const order = await sign('parameters', { method: 'POST', path: '/v1/order', params });
    expect(order.request).to.deep.include({
      url: 'https://api.example.com/v1/order',
      body: `${text}&signature=${mac}`,
    });
    expect(order.request?.headers['Content-Type']).to.equal('application/x-www-form-urlencoded');
  });

  it('sends the text of parameters as it was signed, and a form body beside the query', async () => {
    const target = { method: 'POST', path: '/v1/order' };
    const params = 'email=a@b.c&timestamp=1700000000000';
    const body = { symbol: 'A/B', side: 'BUY' };
    const form = 'symbol=A%2FB&side=BUY';
    for (const [data, sent] of [
      [{ ...target, params, body }, form],
      [{ ...target, params }, ''],
    ] as const) {
      const { request: written } = await sign('parameters', data, { rule: 'mixed' });
      const mac = encodeURIComponent(createHmac('sha256', SECRET).update(`${params}${sent}`).digest('base64'));
      expect(written?.url).to.equal(`https://api.example.com/v1/order?${params}&signature=${mac}`);
      expect(written?.body ?? '').to.equal(sent);
    }
  });

  it('requires method and path also where the venue does not sign them', async () => {
    const params = { a: 1 };
    for (const [data, path] of [
      [{ params, path: '/a' }, 'data.method'],
      [{ params, method: 'GET' }, 'data.path'],
      [{ params, method: 'GET', path: 'no-path' }, 'data.path'],
      [{ params, method: 'GET', path: '/a?b=c' }, 'data.path'],
      [{ params, method: 'GET', path: '/../a' }, 'data.path'],
    ] as const) {
      await expectIssue({ platformId: 'parameters', data }, path);
      expectData(await post({ platformId: 'parameters', accountId: 'main', data }, ''));
    }
  });

  it('percent-encodes parameters that are signed before they are encoded', async () => {
    const data = { method: 'GET', path: '/a', params: { b: 'c d=e', 'ü[]': '1' } };
    const { request: written } = await sign('parameters', data, { rule: 'unencoded' });
    expect(written?.url).to.equal('https://api.example.com/a?b=c%20d%3De&%C3%BC%5B%5D=1');
  });

  it('gives parameters as a JSON body', async () => {
    const { request: written } = await sign(
      'parameters',
      { method: 'POST', path: '/a', params: { b: [1, 'c'] } },
      { rule: 'json' },
    );
    expect(written).to.deep.include({ url: 'https://api.example.com/a', body: '{"b":[1,"c"]}' });
    expect(written?.headers['Content-Type']).to.equal('application/json');
    const more = { method: 'POST', path: '/a', params: { a: 1 }, pairs: [{ a: 'b c' }] };
    const { request: pairs } = await sign('parameters', more, { rule: 'json' });
    expect(pairs).to.have.property('body', '[{"a":"b c"}]');
  });

  it('chooses a body by the data, not by what only the caller has or a dry run lacks', async () => {
    const data = { method: 'POST', path: '/a', params: { a: 1 }, list: [1] };
    const dry = await sign('parameters', data, { rule: 'json' }, 'include=request&dryRun=true');
    expect(dry.request).to.deep.include({ body: '{"list":[1],"note":"{note}","sign":"{signature}"}' });
    const order = await sign('parameters', data, {}, 'include=request&dryRun=true');
    expect(order.request).to.deep.include({ body: 'a=1&signature={signature}', missing: ['signature'] });
  });

  it('leaves an unsigned body to the caller, and puts a token into its header', async () => {
    const token = await sign('parameters', { nonce: 'n', method: 'POST', path: '/a' }, { rule: 'token' });
    expect(token.request).to.deep.equal({
      method: 'POST',
      url: 'https://api.example.com/a',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token.signature}` },
      body: '{body}',
      missing: ['body'],
    });
    const { request: read } = await sign('parameters', { nonce: 'n', method: 'GET', path: '/a' }, { rule: 'token' });
    expect(read).to.deep.include({ missing: [] }).and.not.have.property('body');
  });

  it('puts values of the data into a JSON body with their own types, and r, s and v of the signature', async () => {
    const action = { type: 'cancel', cancels: [{ a: 1, o: 2 }] };
    const { request: written, signature } = await sign('body', { action, nonce: 7 });
    const { r, s, v } = Signature.from(signature);
    const short = (hex: string) => `0x${BigInt(hex).toString(16)}`;
    expect(written).to.deep.include({ method: 'POST', url: 'https://api.example.com/base/exchange', missing: [] });
    expect(written?.body).to.equal(JSON.stringify({ action, nonce: 7, signature: { r: short(r), s: short(s), v } }));
  });

  it('translates what is signed into what is sent, and spreads an object', async () => {
    const data = {
      domain: { name: 'Second', chainId: 42161 },
      types: {
        Ping: [
          { name: 'text', type: 'string' },
          { name: 'nonce', type: 'uint64' },
        ],
      },
      primaryType: 'Ping',
      message: { text: 'hi', nonce: 3 },
    };
    const { request: written, signature } = await sign('body', data, { rule: 'user' });
    expect(written).to.deep.include({ method: 'PUT', url: 'https://api.example.com/second' });
    const action = { type: 'ping', chain: '0xa4b1', text: 'hi', nonce: 3 };
    expect(JSON.parse(written?.body ?? '')).to.deep.equal({ action, nonce: [3], signature });
  });

  it('gives payload and request together', async () => {
    const both = await sign('headers', ORDER, {}, 'include=payload,request');
    expect(both).to.include.keys('payload', 'payloadParts', 'request');
    expect(await sign('headers', ORDER, {}, 'include=payload')).to.not.have.property('request');
    expect(await sign('headers', ORDER, {}, 'include=request')).to.not.have.property('payload');
  });

  it('gives the request of an allowed dry run without its signature, and none of a denied one', async () => {
    const allowed = await sign('headers', ORDER, { accountId: 'named' }, 'include=request&dryRun=true');
    expect(allowed.request?.headers).to.include({ 'X-KEY': 'key-1', 'X-SIGN': 'id=key-1,sig={signature}' });
    expect(allowed.request).to.deep.include({ missing: ['passphrase', 'signature'] });
    const withdrawal = { ...ORDER, path: '/withdraw' };
    const denied = await sign('headers', withdrawal, { accountId: 'named' }, 'include=request&dryRun=true');
    expect(denied).to.include({ decision: 'denied' }).and.not.have.property('request');
    expect(JSON.stringify(denied)).to.not.include('key-1');
  });

  it('gives it for each item of a batch, and fails only the items whose rule has no send', async () => {
    const items = [
      { requestId: '1', platformId: 'headers', accountId: 'main', data: ORDER },
      { requestId: '2', platformId: 'headers', accountId: 'main', rule: 'silent', data: { text: 'a' } },
    ];
    const response = await request(service.server).post('/api/v1/sign/batch?include=request').send({ requests: items });
    const { results } = expectData<{ readonly results: readonly JsonObject[] }>(response);
    expect(results[0]).to.have.nested.property('request.url', 'https://api.example.com/order');
    expect(results[1]).to.have.nested.property('error.details.issues[0].path', 'include');
  });

  it('refuses data that has the text of a placeholder which the caller fills in', async () => {
    for (const body of [{ a: '{passphrase}' }, '{"{passphrase}":1}']) {
      await expectIssue({ platformId: 'headers', data: { ...ORDER, body } }, 'data');
    }
    const { request: written } = await sign('headers', { ...ORDER, body: { a: '{other}' } });
    expect(written?.body).to.equal('{"a":"{other}"}');
  });

  it('refuses, before it signs, data that the request cannot have', async () => {
    const ofHost = { host: 'api.example.com', path: '/a', amount: '1' };
    const refused: readonly (readonly [data: JsonObject, path: string])[] = [
      [{ ...ofHost, host: 'evil.example/x?' }, 'data.host'],
      [{ ...ofHost, host: 'evil.example@a' }, 'data.host'],
      [{ ...ofHost, path: '.evil.example/a' }, 'data'],
      [{ ...ofHost, path: '/../a' }, 'data'],
      [{ ...ofHost, path: '/a#b' }, 'data'],
      [{ ...ofHost, path: '/a?' }, 'data'],
      [{ ...ofHost, tag: ' a' }, 'data'],
      [{ ...ofHost, tag: 'a\r\nX-Evil: 1' }, 'data'],
      [{ ...ofHost, tag: 'é' }, 'data'],
      [{ ...ofHost, amount: '123456789012345678901' }, 'data.amount'],
      [{ ...ofHost, amount: 'one' }, 'data.amount'],
      [{ ...ofHost, size: '1.5' }, 'data.size'],
    ];
    for (const [data, path] of refused) {
      const call = { platformId: 'parameters', rule: 'strict', data };
      await expectIssue(call, path);
      const [dryRun, other] = await Promise.all([
        post({ ...call, accountId: 'main' }, 'include=request&dryRun=true'),
        post({ ...call, accountId: 'main', data: ofHost }, 'include=request&dryRun=true'),
      ]);
      expectError(dryRun, 400, 'INVALID_DATA_FORMAT');
      expectData(other);
    }
    expect((await sign('parameters', { ...ofHost, size: '255' }, { rule: 'strict' })).request).to.deep.include({
      url: 'https://api.example.com/a',
      body: '{"amount":1,"size":"0xff"}',
    });
    const doubled = { method: 'GET', path: '/a', params: { a: 1, signature: 'x' } };
    await expectIssue({ platformId: 'parameters', data: doubled }, 'data');
    await expectIssue({ platformId: 'parameters', data: { method: 'PATCH', path: '/a', params: { a: 1 } } }, 'data');
  });

  it('refuses an inner signature of a multi-sig user, which is no request', async () => {
    const address = `0x${'1'.repeat(40)}`;
    const action = { type: 'cancel', cancels: [{ a: 1, o: 2 }] };
    const data = { action, nonce: 7, multiSigUser: address, outerSigner: address };
    await expectIssue({ platformId: 'body', data }, 'data.multiSigUser');
  });

  it('lets no spread member replace one of the template', async () => {
    const types = {
      Ping: [
        { name: 'type', type: 'string' },
        { name: 'nonce', type: 'uint64' },
      ],
    };
    const message = { type: 'withdraw', nonce: 3 };
    const data = { domain: { name: 'First', chainId: 1 }, types, primaryType: 'Ping', message };
    const { request: written } = await sign('body', data, { rule: 'user' });
    expect(JSON.parse(written?.body ?? '')).to.deep.include({ action: { type: 'ping', chain: '0x1', nonce: 3 } });
  });

  it('refuses it for a rule without send, and for POST /verify', async () => {
    const silent = { platformId: 'headers', accountId: 'main', rule: 'silent', data: { text: 'a' } };
    const { details } = expectError(await post(silent), 400, 'INVALID_DATA_FORMAT');
    expect(details).to.have.nested.property('issues[0].path', 'include');
    for (const query of [
      'include=requests',
      'include=request,request',
      'include=request&include=payload',
      'include=',
    ]) {
      expectError(
        await post({ ...silent, rule: 'login', data: { timestamp: 1700000000 } }, query),
        400,
        'INVALID_DATA_FORMAT',
      );
    }
    const verify = request(service.server).post('/api/v1/verify?include=request');
    expectError(await verify.send({ ...silent, signature: '00' }), 400, 'INVALID_DATA_FORMAT');
  });
});
