import { expect } from 'chai';
import { DATA_FORMATS } from '../../../../src/domain/model/data-format.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { maskData } from '../../../../src/domain/payload/mask-data.ts';

const MASKED = '[masked]';

describe('maskData', () => {
  it('keeps what was traded in format A and masks how much and at which price', () => {
    const order = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: '1.5', price: '65000' };
    const masked = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: MASKED, price: MASKED };
    expect(maskData('A', { instruction: order, nonce: 1700000000000 })).to.deep.equal({
      instruction: masked,
      nonce: 1700000000000,
    });
    expect(maskData('A', order)).to.deep.equal(masked);
  });

  it('does the same for format B, and masks a text message', () => {
    const message = { action: 'place', symbol: 'ETH', price: '1', quantity: '2', timestamp: 5 };
    expect(maskData('B', { message })).to.deep.equal({
      message: { action: 'place', symbol: 'ETH', price: MASKED, quantity: MASKED, timestamp: 5 },
    });
    expect(maskData('B', { message: 'transfer 5 to Bob' })).to.deep.equal({ message: MASKED });
  });

  it('does the same for format C', () => {
    const params = { symbol: 'X', side: 'BUY', type: 'LIMIT', quantity: '1', price: '2', timestamp: 5 };
    expect(maskData('C', { method: 'POST', endpoint: '/api/v3/order', params })).to.deep.equal({
      method: 'POST',
      endpoint: '/api/v3/order',
      params: { symbol: 'X', side: 'BUY', type: 'LIMIT', quantity: MASKED, price: MASKED, timestamp: 5 },
    });
  });

  it('does the same for format D, and masks a text body', () => {
    const request = { method: 'POST', path: '/api/v5/trade/order', timestamp: '2024-01-02T03:04:05.678Z' };
    const body = { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '2.15' };
    expect(maskData('D', { ...request, body })).to.deep.equal({
      ...request,
      body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: MASKED, px: MASKED },
    });
    expect(maskData('D', { ...request, body: '{"sz":"2"}' })).to.deep.equal({ ...request, body: MASKED });
  });

  it('takes a fixed list for format any, at the top and one level down', () => {
    const data = {
      symbol: 'X',
      price: '1',
      text: 'words',
      hex: '00',
      base64: 'AA==',
      params: { side: 'buy', px: '2', instruction: { side: 'sell' } },
    };
    expect(maskData('any', data)).to.deep.equal({
      symbol: 'X',
      price: MASKED,
      text: MASKED,
      hex: MASKED,
      base64: MASKED,
      params: { side: 'buy', px: MASKED, '[other]': MASKED },
    });
  });

  it('lets one entry stand for all unknown names, at each level', () => {
    const data = { s3cret: 1, another: 2, instruction: { 'api-key': 'x', side: 'buy' } };
    expect(maskData('A', data)).to.deep.equal({
      instruction: { side: 'buy', '[other]': MASKED },
      '[other]': MASKED,
    });
    expect(maskData('any', { s3cret: {} })).to.deep.equal({ '[other]': MASKED });
  });

  it('knows the fields of its own format alone', () => {
    expect(maskData('B', { symbol: 'X', params: { symbol: 'Y' } })).to.deep.equal({ '[other]': MASKED });
  });

  it('is empty for empty data', () => {
    for (const format of DATA_FORMATS) expect(maskData(format, {})).to.deep.equal({});
  });

  describe('values on the allowlist', () => {
    for (const value of ['', 'x'.repeat(128), '~ !"', 0, -1.5, 2 ** 60, true, false]) {
      it(`shows ${JSON.stringify(value).slice(0, 20)}`, () => {
        expect(maskData('A', { side: value })).to.deep.equal({ side: value });
      });
    }

    const unfit = ['x'.repeat(129), 'a\n', '\u007f', 'é', '\ud800', null, ['buy'], { a: 'buy' }, Infinity, NaN];
    for (const value of unfit) {
      it(`masks ${JSON.stringify(value).slice(0, 20)} (${typeof value})`, () => {
        expect(maskData('A', { side: value })).to.deep.equal({ side: MASKED });
      });
    }
  });

  for (const value of [null, 'text', 5, ['buy'], true]) {
    it(`masks ${JSON.stringify(value)} where an object belongs`, () => {
      expect(maskData('A', { instruction: value })).to.deep.equal({ instruction: MASKED });
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
        expect(maskData('C', { endpoint: target })).to.deep.equal({ endpoint: expected });
        expect(maskData('D', { path: target })).to.deep.equal({ path: expected });
        expect(maskData('any', { params: { path: target } })).to.deep.equal({ params: { path: expected } });
      });
    }

    it('masks a target that is no text', () => {
      expect(maskData('D', { path: 5 })).to.deep.equal({ path: MASKED });
    });
  });

  it('takes data that no rule would sign', () => {
    const deep = `${'{"instruction":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const hostile: readonly JsonObject[] = [
      JSON.parse(deep),
      JSON.parse('{"__proto__":{"side":"s3cret"},"instruction":{"__proto__":"s3cret"}}'),
      { nonce: Number.POSITIVE_INFINITY, 'x\ud800': '\udc00' },
      JSON.parse('{"hasOwnProperty":1,"constructor":"s3cret"}'),
    ];
    for (const format of DATA_FORMATS) {
      for (const data of hostile) {
        const text = JSON.stringify(maskData(format, data));
        expect(text).to.have.lengthOf.below(200);
        expect(text).not.to.match(/s3cret|proto|constructor/);
      }
    }
  });

  it('does not take what objects inherit for a field', () => {
    expect(maskData('A', Object.create({ side: 'buy' }))).to.deep.equal({});
  });

  it('leaves its input alone', () => {
    const data = Object.freeze({ instruction: Object.freeze({ price: '1' }) });
    maskData('A', data);
    expect(data).to.deep.equal({ instruction: { price: '1' } });
  });
});
