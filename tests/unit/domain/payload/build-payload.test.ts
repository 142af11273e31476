import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { PayloadRule, PayloadRuleName } from '../../../../src/domain/model/payload-rule.ts';
import { DEFAULT_RULE_OF_FORMAT } from '../../../../src/domain/model/platform.ts';
import { buildPayload } from '../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { expectBytes, expectIssue, expectText } from './payload-expectations.ts';

const CONTEXT = payloadContext();

describe('buildPayload', () => {
  it('signs the whole of format A in canonical form', () => {
    const data = { nonce: 5, instruction: { type: 'order', side: 'buy' } };
    expectText(
      buildPayload(data, DEFAULT_RULE_OF_FORMAT.A, CONTEXT),
      '{"instruction":{"side":"buy","type":"order"},"nonce":5}',
    );
  });

  it("signs format B's message", () => {
    expectText(buildPayload({ message: { b: 1, a: 2 }, x: 1 }, DEFAULT_RULE_OF_FORMAT.B, CONTEXT), '{"a":2,"b":1}');
    expectText(buildPayload({ message: 'hello' }, DEFAULT_RULE_OF_FORMAT.B, CONTEXT), 'hello');
  });

  it("signs format C's parameters", () => {
    const data = { method: 'POST', endpoint: '/order', params: { symbol: 'X', timestamp: 5 } };
    expectText(buildPayload(data, DEFAULT_RULE_OF_FORMAT.C, CONTEXT), 'symbol=X&timestamp=5');
  });

  it("signs format D's request", () => {
    const data = { method: 'get', path: '/a?b=c', timestamp: '2024-01-02T03:04:05.678Z' };
    expectText(buildPayload(data, DEFAULT_RULE_OF_FORMAT.D, CONTEXT), '2024-01-02T03:04:05.678ZGET/a?b=c');
  });

  it('signs raw bytes', () => {
    expectBytes(buildPayload({ hex: '00ff' }, { rule: 'raw' }, CONTEXT), '00ff', '00ff');
  });

  describe('rejects, under every rule, data that cannot be signed as sent', () => {
    const rules: { readonly [Name in PayloadRuleName]: PayloadRule } = {
      jcs: { rule: 'jcs' },
      query: { rule: 'query', field: 'text' },
      prehash: { rule: 'prehash', template: '{path}' },
      raw: { rule: 'raw' },
      json: { rule: 'json' },
      kraken: { rule: 'kraken' },
      backpack: { rule: 'backpack' },
      'typed-data': { rule: 'typed-data' },
      'hyperliquid-l1': { rule: 'hyperliquid-l1', network: 'mainnet' },
      'concat-sorted': { rule: 'concat-sorted' },
      'kraken-futures': { rule: 'kraken-futures' },
      'starknet-typed-data': { rule: 'starknet-typed-data' },
      'hyperliquid-multi-sig': { rule: 'hyperliquid-multi-sig', network: 'mainnet' },
      'cosmos-sign-doc': { rule: 'cosmos-sign-doc' },
      jwt: { rule: 'jwt', claims: { text: '{data.text}' } },
    };

    for (const rule of Object.values(rules)) {
      it(`rule ${rule.rule}`, () => {
        const deep = JSON.parse(`${'{"text":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject;
        const path = `data${'.text'.repeat(64)}`;
        expectIssue(buildPayload(deep, rule, CONTEXT), `${path.slice(0, 126)}...${path.slice(-126)}`, /nested deeper/);
        expectIssue(buildPayload({ text: '\ud800' }, rule, CONTEXT), 'data.text', /lone surrogate/);
        expectIssue(buildPayload({ text: 2 ** 53 }, rule, CONTEXT), 'data.text', /integer/);
        expectIssue(
          buildPayload({ text: Number.POSITIVE_INFINITY }, rule, CONTEXT),
          'data.text',
          /double represents exactly/,
        );
        expectIssue(buildPayload(JSON.parse('{"__proto__":"x"}'), rule, CONTEXT), 'data.__proto__', /__proto__/);
      });
    }
  });
});
