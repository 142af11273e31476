import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { type MaskedPlatform, maskData } from '../../../../src/domain/payload/mask-data.ts';

/** Under a rule that signs all of `data`. */
function maskAll(platform: MaskedPlatform, data: JsonObject): JsonObject {
  return maskData(platform, data, { rule: 'jcs' });
}

const MASKED = '[masked]';

const masked = (clear: readonly string[], data: JsonObject) => maskAll({ format: 'A', audit: { clear } }, data);

describe('maskData', () => {
  it('shows up to 128 printable characters of a listed or cleared member, and masks others', () => {
    for (const value of ['', 'x'.repeat(128), '~ !"']) {
      expect(maskAll({ format: 'A' }, { side: value })).to.deep.equal({ side: value });
      expect(masked(['note'], { note: value })).to.deep.equal({ note: value });
    }
    for (const value of ['x'.repeat(129), 'a\n', '\u007f', Infinity]) {
      expect(maskAll({ format: 'A' }, { side: value })).to.deep.equal({ side: MASKED });
    }
  });

  it('shows a request target without its query, if the rest is short and printable', () => {
    for (const [path, shown] of [
      ['/order?', '/order?[masked]'],
      ['?a=b?c', '?[masked]'],
      [`/${'p'.repeat(127)}?${'q'.repeat(1000)}`, `/${'p'.repeat(127)}?[masked]`],
      [`/${'p'.repeat(128)}?q`, MASKED],
      ['/é?q', MASKED],
    ] as const) {
      expect(maskAll({ format: 'D' }, { path })).to.deep.equal({ path: shown });
    }
  });

  describe('a platform that clears members', () => {
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
