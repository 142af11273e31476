import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { Decimal, type PayloadRule, type SignedValue } from '../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../src/domain/payload/build-payload.ts';
import { Spellings } from '../../../../src/domain/payload/signed/signed-value.ts';
import { getSignedReader } from '../../../../src/domain/policy/signed-reader.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';

const TIME = '2020-12-08T09:08:57.715Z';

const OKX: PayloadRule = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'iso' };
const BITMEX: PayloadRule = { rule: 'prehash', template: '{METHOD}{path}{?query}{data.expires}{body}' };
const GATE: PayloadRule = {
  rule: 'prehash',
  template: '{METHOD}\n{path}\n{query}\n{body}\n{timestamp}',
  timestamp: 's',
  query: { encode: 'none' },
  bodyHash: 'sha512',
};

/** The signed fields of a request as plain data. */
function read(rule: PayloadRule, data: JsonObject, values = {}): unknown {
  const built = buildPayload(data, rule, payloadContext(values));
  if (!built.ok) throw new Error(`${built.refusal.path} ${built.refusal.message}`);
  const reader = getSignedReader(rule);
  return plain(
    new Map(
      Object.entries(
        reader.read(built.value, { fields: new Set(Object.keys(reader.fields)), spellings: new Spellings([]) }),
      ),
    ),
  );
}

function plain(value: SignedValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Decimal) return `${value.text}d`;
  return typeof value === 'bigint' ? `${value}n` : value;
}

const ORDER = { timestamp: TIME, method: 'post', path: '/orders', body: { sz: '2', px: 0.5 } };
const READ_ORDER = { timestamp: TIME, method: 'POST', path: '/orders', query: {}, body: { sz: '2', px: '0.5d' } };

describe('getSignedReader: rule prehash', () => {
  it('reads an object body and the same text alike', () => {
    expect(read(OKX, ORDER)).to.deep.equal(READ_ORDER);
    expect(read(OKX, { ...ORDER, body: '{"sz":"2","px":0.5}' })).to.deep.equal(READ_ORDER);
    expect(read(OKX, { ...ORDER, body: '{"sz": "\\u0032", "px": 0.50}' })).to.nested.include({ 'body.sz': '2' });
  });

  it('reads a query in the path, as text and as an object alike', () => {
    const expected = { timestamp: TIME, method: 'GET', path: '/balance', query: { ccy: 'BTC', 'a b': 'é' }, body: {} };
    const data = { timestamp: TIME, method: 'GET', path: '/balance' };
    expect(read(OKX, { ...data, query: { ccy: 'BTC', 'a b': 'é' } })).to.deep.equal(expected);
    expect(read(OKX, { ...data, query: 'ccy=BTC&a%20b=%C3%A9' })).to.deep.equal(expected);
    expect(read(OKX, { ...data, path: '/balance?ccy=BTC&a%20b=%c3%a9' })).to.deep.equal(expected);
  });

  it('keeps the other fields of a body or query that readers could take differently', () => {
    const { body: _body, ...withoutBody } = READ_ORDER;
    expect(read(OKX, { ...ORDER, body: '{"sz":"2","sz":"3"}' })).to.deep.equal(withoutBody);
    expect(read(OKX, { ...ORDER, path: '/orders?a=1&a=2' })).to.deep.equal({
      timestamp: TIME,
      method: 'POST',
      path: '/orders',
      body: READ_ORDER.body,
    });
  });

  for (const [name, data] of [
    ['a path with brackets', { ...ORDER, path: '/orders[]' }],
    ['a query with brackets', { ...ORDER, path: '/orders?a[]=1' }],
    ['an encoded path', { ...ORDER, path: '/%6Frders' }],
    ['a path with an empty segment', { ...ORDER, path: '//orders' }],
    ['a path with a parameter', { ...ORDER, path: '/orders;a=1' }],
  ] as const) {
    it(`reads nothing of ${name}`, () => {
      expect(read(OKX, data)).to.deep.equal({});
    });
  }

  it('reads JSON where a body may also be a form, and nothing beside a form', () => {
    const rule = { ...OKX, body: 'json-or-form' } as const;
    expect(read(rule, ORDER)).to.deep.equal(READ_ORDER);
    expect(read(rule, { ...ORDER, body: '' })).to.deep.equal({ ...READ_ORDER, body: {} });
    expect(read(rule, { ...ORDER, body: '-algo&sz=2' })).to.deep.equal({});
  });

  it('reads no body that is JSON to one reader and a form to another', () => {
    const { body: _body, ...withoutBody } = READ_ORDER;
    for (const body of ['{"sz":"2","x":"&sz=1000"}', '{"sz":"2","x":";sz=1000;"}']) {
      expect(read(OKX, { ...ORDER, body }), body).to.deep.equal(withoutBody);
      const kraken = { path: '/orders', nonce: '5', body: body.replace('{', '{"nonce":"5",') };
      expect(read({ rule: 'kraken' }, kraken), body).to.deep.equal({ path: '/orders', nonce: '5' });
    }
    expect(read(OKX, { ...ORDER, body: '{"sz":"2","x":"\\u0026sz=1000"}' })).to.have.property('body');
  });

  it('reads members of data beside other parts if they are ten digits', () => {
    const data = { method: 'DELETE', path: '/order', expires: 1518064238, body: {} };
    expect(read(BITMEX, data)).to.deep.equal({
      method: 'DELETE',
      path: '/order',
      query: {},
      data: { expires: '1518064238' },
      body: {},
    });
    for (const expires of ['/all1518064238', 15180642380, '0518064238', '1518064238{']) {
      expect(read(BITMEX, { ...data, expires }), String(expires)).to.deep.equal({});
    }
  });

  it('reads all digits between a path without a query and a JSON body, unless the path ends with one', () => {
    const rule: PayloadRule = { rule: 'prehash', template: '/api{path}{data.nonce}{body}', path: { query: 'none' } };
    const data = { path: '/v2/auth/w/order/submit', nonce: 1700000000000000, body: { symbol: 'tBTCUSD' } };
    const expected = { path: data.path, data: { nonce: '1700000000000000' }, body: data.body };
    expect(read(rule, data)).to.deep.equal(expected);
    expect(read(rule, { ...data, nonce: '7' })).to.deep.equal({ ...expected, data: { nonce: '7' } });
    expect(read({ ...rule, template: '{path}{data.nonce}' }, { path: '/a', nonce: '12' })) //
      .to.deep.equal({ path: '/a', data: { nonce: '12' } });
    for (const other of [{ path: '/v2/auth/r/orders/1' }, { nonce: '' }, { nonce: '1/x2' }, { nonce: '1{"a":2}' }]) {
      expect(read(rule, { ...data, ...other }), JSON.stringify(other)).to.deep.equal({});
    }
    expect(read({ ...rule, body: 'form' }, { ...data, body: 'a=1' })).to.deep.equal({});
    const { path: _, ...open } = rule;
    expect(read(open, data)).to.deep.equal({});
  });

  it('reads a body that is signed as a hash, and a query that is signed before it is encoded', () => {
    const data = { method: 'POST', path: '/orders', query: { a: 'b c+%20' }, body: { sz: 1 }, timestamp: 1541993715 };
    expect(read(GATE, data)).to.deep.equal({
      method: 'POST',
      path: '/orders',
      query: { a: 'b c+%20' },
      body: { sz: '1n' },
      timestamp: '1541993715',
    });
    expect(read(GATE, { ...data, body: '' })).to.deep.include({ body: {} });
    expect(read(GATE, { ...data, body: 'a=1' })).not.to.have.property('body');
  });

  it('reads path and query as one target where nothing separates them', () => {
    const rule: PayloadRule = { rule: 'prehash', template: '{path}{query}{data.expiry}{body}' };
    expect(read(rule, { path: '/orders/cancel', query: { id: '7' }, expiry: 1780837600 })).to.deep.equal({
      target: '/orders/cancelid=7',
      data: { expiry: '1780837600' },
      body: {},
    });
  });

  for (const [path, query] of [
    ['//orders', 'id=7'],
    ['/%6frders', 'id=7'],
    ['/orders;a', 'id=7'],
    ['/orders%2f..%2fx', 'id=7'],
    ['/orders', '/../x'],
    ['/orders/', './a'],
    ['/orders/', '/a'],
    ['/orders', 'id=%37'],
  ] as const) {
    it(`reads no target of ${path} and ${query}, which servers may take for another`, () => {
      const rule: PayloadRule = { rule: 'prehash', template: '{path}{query}{data.expiry}{body}' };
      expect(read(rule, { path, query, expiry: 1780837600 })).to.deep.equal({});
    });
  }

  for (const template of ['{path}{data.a}{query}', '{body}{path}', '{query}{path}', '{path}{timestamp}{query}{body}']) {
    it(`covers no field of ${template}, whose parts have no certain end`, () => {
      expect(getSignedReader({ rule: 'prehash', template }).fields).to.deep.equal({});
    });
  }
});

describe('getSignedReader: other rules', () => {
  it('query: the parameters, numbers and booleans as texts', () => {
    const data = { params: { symbol: 'A B', price: 0.1, post: true } };
    const expected = { params: { symbol: 'A B', price: '0.1', post: 'true' } };
    expect(read({ rule: 'query', field: 'params' }, data)).to.deep.equal(expected);
    expect(read({ rule: 'query', field: 'params', encode: 'none', sort: true }, data)).to.deep.equal(expected);
  });

  it('query: the parameters of a text, unless it has a + or a name twice', () => {
    const rule: PayloadRule = { rule: 'query', field: 'params' };
    expect(read(rule, { params: 'email=a@b.c&note=a%20b' })).to.deep.equal({ params: { email: 'a@b.c', note: 'a b' } });
    for (const params of ['note=a+b&x=1', 'x=1&x=2', 'x=1&%78=2']) expect(read(rule, { params })).to.deep.equal({});
  });

  it('query: the parameters of query and form body, if the text can only be split between them', () => {
    const rule: PayloadRule = { rule: 'query', field: 'params', body: 'form' };
    const query = 'recvWindow=5000&timestamp=1700000000000';
    const expected = { recvWindow: '5000', timestamp: '1700000000000', symbol: 'A B', side: 'BUY' };
    expect(read(rule, { params: query, body: { symbol: 'A B', side: 'BUY' } })).to.deep.equal({ params: expected });
    expect(read(rule, { params: { a: 1 } })).to.deep.equal({ params: { a: '1' } });
    for (const [params, body] of [
      ['quantity=10', '0=&price=5'],
      ['timestamp=1700000000000&side=', 'BUY=1'],
      [query, '0symbol=A'],
      [query, '%73ymbol=A'],
      [`${query}000`, 'symbol=A'],
      [query, 'Timestamp=1'],
      [query, 'symbol=A+B'],
    ] as const) {
      expect(read(rule, { params, body }), `${params} ${body}`).to.deep.equal({});
    }
  });

  it('query: the parts of prefix and suffix', () => {
    const htx: PayloadRule = { rule: 'query', field: 'params', sort: true, prefix: '{METHOD}\n{data.host}\n{path}\n' };
    const data = { method: 'GET', host: 'api.huobi.pro', path: '/v1/order', params: { a: '1' } };
    const expected = { method: 'GET', path: '/v1/order', params: { a: '1' }, data: { host: 'api.huobi.pro' } };
    expect(read(htx, data)).to.deep.equal(expected);
    const woo: PayloadRule = { rule: 'query', field: 'params', suffix: '|{timestamp}', timestamp: 'ms' };
    expect(read(woo, { params: { a: '1|2' }, timestamp: 1578565539808 })).to.deep.equal({
      params: { a: '1|2' },
      timestamp: '1578565539808',
    });
  });

  it('jcs and json: the message, however it was sent', () => {
    for (const rule of ['jcs', 'json'] as const) {
      const message = { type: 'withdraw', amount: '1' };
      expect(read({ rule, field: 'message' }, { message })).to.deep.include({ message });
      expect(read({ rule, field: 'message' }, { message: '{"type":"withdraw","amount":"1"}' })).to.deep.include({
        message,
      });
      expect(read({ rule, field: 'message' }, { message: 'hello' })).to.deep.equal({ text: 'hello' });
      expect(read({ rule }, message)).to.deep.include({ message });
    }
  });

  it('json in base64: the message and text that were encoded', () => {
    const rule = { rule: 'json', field: 'payload', encode: 'base64' } as const;
    const payload = { request: '/v1/withdraw/btc', amount: '1' };
    expect(read(rule, { payload })).to.deep.equal({ text: JSON.stringify(payload), message: payload });
    expect(read(rule, { payload: 'é' })).to.deep.equal({ text: 'é' });
  });

  it('raw: the text of the bytes, however they were sent', () => {
    const expected = { text: '{"a":1}', message: { a: '1n' } };
    for (const data of [{ text: '{"a":1}' }, { hex: '7b2261223a317d' }, { base64: 'eyJhIjoxfQ==' }]) {
      expect(read({ rule: 'raw' }, data)).to.deep.equal(expected);
    }
    expect(read({ rule: 'raw' }, { hex: 'ff' })).to.deep.equal({});
    expect(read({ rule: 'raw' }, { hex: 'efbbbf61' })).to.deep.equal({ text: '\ufeffa' });
  });

  it('kraken: path, nonce and body, as an object, a form or JSON', () => {
    const body = { nonce: '5', pair: 'XBTUSD' };
    const expected = { path: '/0/private/AddOrder', nonce: '5', body };
    const path = '/0/private/AddOrder';
    expect(read({ rule: 'kraken' }, { path, body })).to.deep.equal(expected);
    expect(read({ rule: 'kraken' }, { path, body: 'nonce=5&pair=XBTUSD', nonce: 5 })).to.deep.equal(expected);
    expect(read({ rule: 'kraken' }, { path, body: '{"nonce":"5","pair":"XBTUSD"}', nonce: '5' })).to.deep.equal(
      expected,
    );
    expect(read({ rule: 'kraken' }, { path, body: '2nonce=1', nonce: '1' })).to.deep.equal({ path });
    expect(read({ rule: 'kraken' }, { path, body: 'nonce=5&pair=A&pair=B', nonce: 5 })).to.deep.equal({
      path,
      nonce: '5',
    });
    expect(read({ rule: 'kraken' }, { path: '/0/private/%57ithdraw', body })).to.deep.equal({});
  });

  it('concat-sorted: method and nonce, and no parameter, because nothing delimits them', () => {
    const rule = { rule: 'concat-sorted' } as const;
    const request = { method: 'private/create-order', id: 1, nonce: 1700000000000 };
    const expected = { method: 'private/create-order', nonce: '1700000000000' };
    expect(read(rule, { ...request, params: { a: '1', b: '2' } }, { apiKey: 'K' })).to.deep.equal(expected);
    expect(read(rule, { ...request, params: { a: '1b2' } }, { apiKey: 'K' })).to.deep.equal(expected);
  });

  it('kraken-futures: the path, and the parameters if the last one ends in one place only', () => {
    const rule = { rule: 'kraken-futures' } as const;
    const path = '/api/v3/sendorder';
    const params = { size: '1', side: 'buy' };
    expect(read(rule, { path, body: params })).to.deep.equal({ path, params });
    expect(read(rule, { path, query: 'size=1&side=buy' })).to.deep.equal({ path, params });
    expect(read(rule, { path })).to.deep.equal({ path, params: {} });
    expect(read(rule, { path, body: params, nonce: 5 })).to.deep.equal({ path });
    expect(read(rule, { path, body: { side: 'buy', size: '1' } })).to.deep.equal({ path });
    expect(read(rule, { path, query: 'side=buy&side=sell' })).to.deep.equal({ path });
    for (const other of ['/api/v3/api/v3/sendorder', '/v3/sendorder', '/api/%76', '/api/v3//a']) {
      expect(read(rule, { path: other, body: params }), other).to.deep.equal({});
    }
  });

  it('kraken-challenge: the challenge', () => {
    const challenge = 'c100b894-1729-464d-ace1-52dbce11db42';
    expect(read({ rule: 'kraken-challenge' }, { challenge })).to.deep.equal({ challenge });
  });

  it('backpack: the instruction and each set of parameters', () => {
    const times = { timestamp: 1614550000000, window: 5000 };
    const read1 = { timestamp: '1614550000000', window: '5000' };
    const orders = [
      { side: 'Bid', price: 1 },
      { side: 'Ask', price: '2' },
    ];
    expect(read({ rule: 'backpack' }, { instruction: 'orderExecute', orders, ...times })).to.deep.equal({
      instruction: 'orderExecute',
      orders: [
        { side: 'Bid', price: '1' },
        { side: 'Ask', price: '2' },
      ],
      ...read1,
    });
    for (const data of [{ params: { side: 'Bid' } }, { orders: [{ side: 'Bid' }] }]) {
      expect(read({ rule: 'backpack' }, { instruction: 'a', ...data, ...times })).to.deep.equal({
        instruction: 'a',
        params: { side: 'Bid' },
        orders: [{ side: 'Bid' }],
        ...read1,
      });
    }
    expect(read({ rule: 'backpack' }, { instruction: 'a', params: { q: 1, Q: 2 }, ...times })).to.deep.equal({});
  });

  it('typed-data: each value in one form, by its type', () => {
    const types = {
      Order: [
        { name: 'size', type: 'uint256' },
        { name: 'maker', type: 'address' },
        { name: 'legs', type: 'Leg[]' },
        { name: 'tag', type: 'bytes2' },
        { name: 'note', type: 'string' },
        { name: 'post', type: 'bool' },
      ],
      Leg: [{ name: 'price', type: 'int64' }],
    };
    const maker = '0x5E9EE1089755C3435139848E47E6635505D5A13A';
    const domain = { name: 'V', chainId: '0x1', verifyingContract: maker };
    for (const size of [255, '255', '0xff', '0x00FF']) {
      const message = { size, maker, legs: [{ price: '-1' }], tag: '0xAB01', note: 'Ä', post: true };
      expect(read({ rule: 'typed-data' }, { domain, types, primaryType: 'Order', message })).to.deep.equal({
        domain: { name: 'V', chainId: '1n', verifyingContract: maker.toLowerCase() },
        primaryType: 'Order',
        message: {
          size: '255n',
          maker: maker.toLowerCase(),
          legs: [{ price: '-1n' }],
          tag: '0xab01',
          note: 'Ä',
          post: true,
        },
      });
    }
  });

  it('typed-data: members and types that are named like inherited ones', () => {
    const types = { toString: [{ name: 'constructor', type: 'uint8' }] };
    const data = { domain: { name: 'V' }, types, primaryType: 'toString', message: { constructor: 1 } };
    expect(read({ rule: 'typed-data' }, data)).to.deep.include({ message: { constructor: '1n' } });
  });

  it('starknet-typed-data: felts by their value alone, as numbers and, where they are one, as short strings', () => {
    const types = {
      StarkNetDomain: ['name', 'chainId', 'version'].map((name) => ({ name, type: 'felt' })),
      Order: [
        { name: 'market', type: 'felt' },
        { name: 'size', type: 'felt' },
        { name: 'note', type: 'string' },
        { name: 'post', type: 'bool' },
        { name: 'method', type: 'selector' },
        { name: 'legs', type: 'Leg*' },
        { name: 'sides', type: 'felt*' },
      ],
      Leg: [{ name: 'market', type: 'felt' }],
    };
    const chainId = `0x${Buffer.from('SN_MAIN').toString('hex')}`;
    for (const [market, name, version] of [
      ['BTC', 'Venue', '1'],
      [0x425443, `0x${Buffer.from('Venue').toString('hex')}`, 1],
      ['0x425443', 'Venue', '0x01'],
    ]) {
      const message = {
        ...{ market, size: '1000000000000000000000', note: market, post: true, method: 'transfer' },
        ...{ legs: [{ market }], sides: [market, 1] },
      };
      const data = { domain: { name, version, chainId }, types, primaryType: 'Order', message } as JsonObject;
      expect(read({ rule: 'starknet-typed-data' }, data, { address: '0x5' })).to.deep.equal({
        domain: { name: 'Venue', chainId: 'SN_MAIN', version: '1n' },
        primaryType: 'Order',
        message: {
          market: '4346947n',
          size: '1000000000000000000000d',
          note: '4346947n',
          post: true,
          legs: [{ market: '4346947n' }],
          sides: ['4346947n', '1n'],
        },
        texts: { market: 'BTC', note: 'BTC', legs: [{ market: 'BTC' }] },
      });
    }
  });

  it('starknet-typed-data, revision 1: numbers, text and addresses by their types', () => {
    const types = {
      StarknetDomain: ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' })),
      Order: [
        { name: 'market', type: 'shortstring' },
        { name: 'note', type: 'string' },
        { name: 'change', type: 'i128' },
        { name: 'fee', type: 'TokenAmount' },
      ],
    };
    const fee = { token_address: '0x00AB', amount: { low: '0x10', high: 0 } };
    const message = { market: 'BTC', note: 'a long text', change: '-5', fee };
    const domain = { name: 'Venue', version: '2', chainId: 'SN_MAIN', revision: 1 };
    const data = { domain, types, primaryType: 'Order', message };
    expect(read({ rule: 'starknet-typed-data' }, data, { address: '0x5' })).to.deep.equal({
      domain: { name: 'Venue', version: '2n', chainId: 'SN_MAIN', revision: '1n' },
      primaryType: 'Order',
      message: {
        market: '4346947n',
        note: 'a long text',
        change: '-5n',
        fee: { token_address: '0xab', amount: { low: '16n', high: '0n' } },
      },
      texts: { market: 'BTC', note: 'a long text', fee: { amount: {} } },
    });
  });

  it('hyperliquid: the same fields of an action that a multi-sig user signs and of its envelope', () => {
    const multiSig = { multiSigUser: `0x${'ab'.repeat(20)}`, outerSigner: `0x${'cd'.repeat(20)}` };
    const action = { type: 'cancel', cancels: [{ a: 1, o: 100 }] };
    const expected = {
      ...multiSig,
      action: { type: 'cancel', cancels: [{ a: '1n', o: '100n' }] },
      nonce: '7n',
      vaultAddress: '',
      expiresAfter: '9n',
    };
    const inner = { action, nonce: 7, expiresAfter: 9, ...multiSig, multiSigUser: `0x${'AB'.repeat(20)}` };
    expect(read({ rule: 'hyperliquid-l1', network: 'mainnet' }, inner)).to.deep.equal(expected);
    const signatures = [{ r: '0x1', s: '0x2', v: 27 }];
    const payload = { ...multiSig, action };
    const envelope = { type: 'multiSig', signatureChainId: '0x66eee', signatures, payload };
    const outer = { action: envelope, nonce: 7, expiresAfter: 9 };
    expect(read({ rule: 'hyperliquid-multi-sig', network: 'mainnet' }, outer)).to.deep.equal(expected);
  });
});

describe('Signed fields of more than 64 KiB or 4096 values', () => {
  const long = 'a'.repeat(65_536);

  for (const [name, rule, data, field] of [
    ['a path', OKX, { ...ORDER, path: `/${long}` }, 'path'],
    [
      'parameters of many orders',
      { rule: 'backpack' },
      {
        ...{ instruction: 'orderExecute', timestamp: 1_700_000_000_000, window: 5000 },
        orders: Array.from({ length: 1000 }, () => ({ a: '1', b: '2', c: '3', d: '4' })),
      },
      'orders',
    ],
  ] as const) {
    it(`are absent: ${name}`, () => {
      expect(read(rule, data as JsonObject)).not.to.have.property(field);
    });
  }
});
