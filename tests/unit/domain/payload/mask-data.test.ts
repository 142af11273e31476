import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { DATA_FORMATS, type DataFormat } from '../../../../src/domain/model/platform.ts';
import { type MaskedPlatform, maskData } from '../../../../src/domain/payload/mask-data.ts';

/** Under a rule that signs all of `data`. */
function maskAll(platform: MaskedPlatform, data: JsonObject): JsonObject {
  return maskData(platform, data, { rule: 'jcs' });
}

const MASKED = '[masked]';

describe('maskData', () => {
  it('keeps what was traded in format A and masks how much and at which price', () => {
    const order = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: '1.5', price: '65000' };
    const masked = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: MASKED, price: MASKED };
    expect(maskAll({ format: 'A' }, { instruction: order, nonce: 1700000000000 })).to.deep.equal({
      instruction: masked,
      nonce: 1700000000000,
    });
    expect(maskAll({ format: 'A' }, order)).to.deep.equal(masked);
  });

  it('does the same for format B, and masks a string message', () => {
    const message = { action: 'place', symbol: 'ETH', price: '1', quantity: '2', timestamp: 5 };
    expect(maskAll({ format: 'B' }, { message })).to.deep.equal({
      message: { action: 'place', symbol: 'ETH', price: MASKED, quantity: MASKED, timestamp: 5 },
    });
    expect(maskAll({ format: 'B' }, { message: 'transfer 5 to Bob' })).to.deep.equal({ message: MASKED });
  });

  it('does the same for format C', () => {
    const params = { symbol: 'X', side: 'BUY', type: 'LIMIT', quantity: '1', price: '2', timestamp: 5 };
    expect(maskAll({ format: 'C' }, { method: 'POST', endpoint: '/api/v3/order', params })).to.deep.equal({
      method: 'POST',
      endpoint: '/api/v3/order',
      params: { symbol: 'X', side: 'BUY', type: 'LIMIT', quantity: MASKED, price: MASKED, timestamp: 5 },
    });
  });

  it('does the same for format D, and masks a string body', () => {
    const request = { method: 'POST', path: '/api/v5/trade/order', timestamp: '2024-01-02T03:04:05.678Z' };
    const body = { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '2.15' };
    expect(maskAll({ format: 'D' }, { ...request, body })).to.deep.equal({
      ...request,
      body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: MASKED, px: MASKED },
    });
    expect(maskAll({ format: 'D' }, { ...request, body: '{"sz":"2"}' })).to.deep.equal({ ...request, body: MASKED });
  });

  it('uses a fixed list for format any, at the top and one level down', () => {
    const data = {
      symbol: 'X',
      price: '1',
      text: 'words',
      hex: '00',
      base64: 'AA==',
      params: { side: 'buy', px: '2', instruction: { side: 'sell' } },
    };
    expect(maskAll({ format: 'any' }, data)).to.deep.equal({
      symbol: 'X',
      price: MASKED,
      text: MASKED,
      hex: MASKED,
      base64: MASKED,
      params: { side: 'buy', px: MASKED, '[other]': MASKED },
    });
  });

  it('replaces all unknown names with one entry, at each level', () => {
    const data = { s3cret: 1, another: 2, instruction: { 'api-key': 'x', side: 'buy' } };
    expect(maskAll({ format: 'A' }, data)).to.deep.equal({
      instruction: { side: 'buy', '[other]': MASKED },
      '[other]': MASKED,
    });
    expect(maskAll({ format: 'any' }, { s3cret: {} })).to.deep.equal({ '[other]': MASKED });
  });

  it('recognises only the fields of its own format', () => {
    expect(maskAll({ format: 'B' }, { symbol: 'X', params: { symbol: 'Y' } })).to.deep.equal({ '[other]': MASKED });
  });

  it('is empty for empty data', () => {
    for (const format of DATA_FORMATS) expect(maskAll({ format }, {})).to.deep.equal({});
  });

  describe('values on the allowlist', () => {
    for (const value of ['', 'x'.repeat(128), '~ !"', 0, -1.5, 2 ** 60, true, false]) {
      it(`shows ${JSON.stringify(value).slice(0, 20)}`, () => {
        expect(maskAll({ format: 'A' }, { side: value })).to.deep.equal({ side: value });
      });
    }

    const unfit = ['x'.repeat(129), 'a\n', '\u007f', 'é', '\ud800', null, ['buy'], { a: 'buy' }, Infinity, NaN];
    for (const value of unfit) {
      it(`masks ${JSON.stringify(value).slice(0, 20)} (${typeof value})`, () => {
        expect(maskAll({ format: 'A' }, { side: value })).to.deep.equal({ side: MASKED });
      });
    }
  });

  for (const value of [null, 'text', 5, ['buy'], true]) {
    it(`masks ${JSON.stringify(value)} if an object is expected`, () => {
      expect(maskAll({ format: 'A' }, { instruction: value })).to.deep.equal({ instruction: MASKED });
    });
  }

  describe('request targets', () => {
    const shown: { readonly [target: string]: string } = {
      '/api/v5/trade/order': '/api/v5/trade/order',
      '/order?apiKey=s3cret': '/order?[masked]',
      '/order?': '/order?[masked]',
      '?a=b?c': '?[masked]',
      [`/${'p'.repeat(127)}?${'q'.repeat(1000)}`]: `/${'p'.repeat(127)}?[masked]`,
      [`/${'p'.repeat(128)}?q`]: MASKED,
      '/é?q': MASKED,
    };
    for (const [target, expected] of Object.entries(shown)) {
      it(`shows ${target.slice(0, 30)} as ${expected.slice(0, 30)}`, () => {
        expect(maskAll({ format: 'C' }, { endpoint: target })).to.deep.equal({ endpoint: expected });
        expect(maskAll({ format: 'D' }, { path: target })).to.deep.equal({ path: expected });
        expect(maskAll({ format: 'any' }, { params: { path: target } })).to.deep.equal({ params: { path: expected } });
      });
    }

    it('masks a target that is not a string', () => {
      expect(maskAll({ format: 'D' }, { path: 5 })).to.deep.equal({ path: MASKED });
    });
  });

  it('accepts data that no rule would sign', () => {
    const deep = `${'{"instruction":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const hostile: readonly JsonObject[] = [
      JSON.parse(deep),
      JSON.parse('{"__proto__":{"side":"s3cret"},"instruction":{"__proto__":"s3cret"}}'),
      { nonce: Number.POSITIVE_INFINITY, 'x\ud800': '\udc00' },
      JSON.parse('{"hasOwnProperty":1,"constructor":"s3cret"}'),
    ];
    for (const format of DATA_FORMATS) {
      for (const data of hostile) {
        const text = JSON.stringify(maskAll({ format }, data));
        expect(text).to.have.lengthOf.below(200);
        expect(text).not.to.match(/s3cret|proto|constructor/);
      }
    }
  });

  it('does not treat inherited properties as fields', () => {
    expect(maskAll({ format: 'A' }, Object.create({ side: 'buy' }))).to.deep.equal({});
  });

  describe('a platform that clears members', () => {
    const masked = (clear: readonly string[], data: JsonObject, format: DataFormat = 'A') =>
      maskAll({ format, audit: { clear } }, data);

    it('shows those in addition to what the format shows, and masks the rest', () => {
      const order = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: '1.5', price: '65000', note: 's3cret' };
      const shown = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: '1.5', price: MASKED, '[other]': MASKED };
      expect(masked(['amount'], order)).to.deep.equal(shown);
      expect(masked(['instruction.amount'], { instruction: order, nonce: 5 })).to.deep.equal({
        instruction: shown,
        nonce: 5,
      });
    });

    it('clears a member only at its own path', () => {
      const data = { price: '1', instruction: { price: '2', amount: '3' }, 'instruction.price': '4' };
      expect(masked(['price'], data)).to.deep.equal({
        price: '1',
        instruction: { price: MASKED, amount: MASKED },
        '[other]': MASKED,
      });
      expect(masked(['instruction.price'], data)).to.deep.equal({
        price: MASKED,
        instruction: { price: '2', amount: MASKED },
        '[other]': MASKED,
      });
    });

    it('reaches members unknown to the format, through objects unknown to it', () => {
      const data = { order: { legs: { px: 9.5, sz: 1 }, id: 'x' }, note: 'n', account: 's3cret' };
      expect(masked(['order.legs.px', 'note'], data)).to.deep.equal({
        order: { legs: { px: 9.5, '[other]': MASKED }, '[other]': MASKED },
        note: 'n',
        '[other]': MASKED,
      });
    });

    it('reaches eight levels down', () => {
      const data = { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } };
      expect(masked(['a.b.c.d.e.f.g.h'], data)).to.deep.equal(data);
    });

    it('adds no member that is missing from the data', () => {
      expect(masked(['amount', 'order.id'], { side: 'buy' })).to.deep.equal({ side: 'buy' });
      expect(masked(['order.id'], { order: {} })).to.deep.equal({ order: {} });
    });

    for (const value of ['', 'x'.repeat(128), '~ !"', 0, -1.5, 2 ** 60, true, false]) {
      it(`shows ${JSON.stringify(value).slice(0, 20)}`, () => {
        expect(masked(['note'], { note: value })).to.deep.equal({ note: value });
      });
    }

    const unfit = ['x'.repeat(129), 'a\n', 'é', '\ud800', null, [], ['a'], {}, { a: 'b' }, Infinity, NaN];
    for (const value of unfit) {
      it(`masks ${JSON.stringify(value).slice(0, 20)} (${typeof value}) at a cleared path`, () => {
        expect(masked(['note'], { note: value })).to.deep.equal({ note: MASKED });
      });
    }

    it('clears no object as a whole, and shows only what the format shows of one', () => {
      const data = { message: { symbol: 'ETH', price: '1', memo: 's3cret' } };
      const shown = { message: { symbol: 'ETH', price: MASKED, '[other]': MASKED } };
      expect(masked(['message'], data, 'B')).to.deep.equal(shown);
      expect(masked(['message'], { message: 'order 7' }, 'B')).to.deep.equal({ message: 'order 7' });
    });

    it('accepts a path to a member and one through it', () => {
      for (const clear of [
        ['order', 'order.id'],
        ['order.id', 'order'],
      ]) {
        expect(masked(clear, { order: 'x' })).to.deep.equal({ order: 'x' });
        expect(masked(clear, { order: { id: 1, key: 2 } })).to.deep.equal({ order: { id: 1, '[other]': MASKED } });
        expect(masked(clear, { order: ['x'] })).to.deep.equal({ order: MASKED });
      }
    });

    it('descends into no array and no string', () => {
      for (const orders of [[{ px: 1 }], ['s3cret'], 's3cret', null]) {
        expect(masked(['orders.px', 'orders.0', 'orders.length', 'orders.0.px'], { orders })).to.deep.equal({
          orders: MASKED,
        });
      }
    });

    it('shows a nonce that is a string, and the query of a target', () => {
      expect(masked(['nonce'], { nonce: '17' })).to.deep.equal({ nonce: '17' });
      expect(masked(['path'], { path: '/orders?symbol=X' }, 'D')).to.deep.equal({ path: '/orders?symbol=X' });
    });

    it('never hides what the format shows', () => {
      const path = `/orders?${'q'.repeat(200)}`;
      expect(masked(['path', 'timestamp'], { path, timestamp: 5 }, 'D')).to.deep.equal({
        path: '/orders?[masked]',
        timestamp: 5,
      });
    });

    it('treats names of inherited properties like any other member', () => {
      const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
      const clear = [...names, ...names.map((name) => `${name}.side`), ...names.map((name) => `instruction.${name}`)];
      expect(masked(clear, { instruction: {} })).to.deep.equal({ instruction: {} });
      for (const name of names) {
        for (const text of [`{"${name}":"x"}`, `{"${name}":{"side":"x"}}`, `{"instruction":{"${name}":"x"}}`]) {
          const result = masked(clear, JSON.parse(text));
          expect(JSON.stringify(result)).to.equal(text);
          expect(Object.getPrototypeOf(result)).to.equal(Object.prototype);
        }
      }
      expect(Reflect.get({}, 'side')).to.equal(undefined);
    });

    it('does not treat inherited properties as cleared members', () => {
      expect(masked(['note', 'order.id'], Object.create({ note: 'x', order: { id: 1 } }))).to.deep.equal({});
    });

    it('shows no more than the format when it clears nothing', () => {
      const data = { side: 'buy', price: '1', note: 'x' };
      expect(masked([], data)).to.deep.equal(maskAll({ format: 'A' }, data));
    });

    it('changes nothing for other platforms of its format', () => {
      masked(['amount', 'note'], { amount: '1', note: 'x' });
      expect(maskAll({ format: 'A' }, { amount: '1', note: 'x' })).to.deep.equal({
        amount: MASKED,
        '[other]': MASKED,
      });
    });

    it('reads its list once, and that of the next configuration separately', () => {
      let readings = 0;
      const audit = {
        get clear() {
          readings += 1;
          return ['amount'];
        },
      };
      const platform = { format: 'A', audit } as const;
      for (let count = 0; count < 5; count += 1) {
        expect(maskAll(platform, { amount: '1' })).to.deep.equal({ amount: '1' });
      }
      expect(readings).to.equal(1);
      expect(maskAll({ ...platform, audit: { clear: [] } }, { amount: '1' })).to.deep.equal({ amount: MASKED });
    });
  });

  it('shows only members that the rule signs', () => {
    const okx = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' } as const;
    const data = { method: 'POST', path: '/orders', timestamp: 5, body: { side: 'sell' } };
    const beside = { side: 'buy', symbol: 'BTC-USDT', endpoint: '/orders', nonce: 5 };
    expect(maskData({ format: 'any' }, { ...data, ...beside }, okx)).to.deep.equal({ ...data, '[other]': MASKED });
    const query = { rule: 'query', field: 'params', suffix: '{timestamp}' } as const;
    const order = { params: { symbol: 'BTC' }, timestamp: 5 };
    const sent = { ...order, method: 'POST', endpoint: '/order' };
    expect(maskData({ format: 'C' }, sent, query)).to.deep.equal({ params: order.params, '[other]': MASKED });
    expect(maskData({ format: 'any', audit: { clear: ['note'] } }, { note: 'x' }, okx)).to.deep.equal({
      '[other]': MASKED,
    });
  });

  it('does not modify its input', () => {
    const data = Object.freeze({ instruction: Object.freeze({ price: '1' }) });
    maskAll({ format: 'A' }, data);
    expect(data).to.deep.equal({ instruction: { price: '1' } });
  });
});
