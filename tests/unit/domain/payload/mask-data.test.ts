import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { DataFormat } from '../../../../src/domain/model/platform.ts';
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

    for (const value of ['', 'x'.repeat(128), '~ !"', 0, -1.5, 2 ** 60, true, false]) {
      it(`shows ${JSON.stringify(value).slice(0, 20)}`, () => {
        expect(masked(['note'], { note: value })).to.deep.equal({ note: value });
      });
    }

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
});
