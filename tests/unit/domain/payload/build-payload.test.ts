import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../src/domain/payload/build-payload.ts';
import { defaultRule } from '../../../../src/domain/payload/complete-platform.ts';
import { PAYLOAD_RULES } from '../../../../src/domain/payload/payload-rules.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { expectIssue } from './payload-expectations.ts';

const CONTEXT = payloadContext();

describe('buildPayload', () => {
  describe('rejects, under every rule, data that cannot be signed as sent', () => {
    for (const rule of PAYLOAD_RULES.map(defaultRule)) {
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

  describe('writes values as text under every rule with parameters, or says in which form to send them', () => {
    const path = '/a';
    const times = { timestamp: 1614550000000, window: 1 };
    const form = { rule: 'prehash', template: '{body}', body: 'form' } as const;
    const token = { rule: 'jwt', claims: { iss: 'a' }, queryHash: {} } as const;
    const cases: readonly (readonly [string, PayloadRule, (a: JsonValue) => JsonObject])[] = [
      ['data.params.a', { rule: 'query', field: 'params' }, (a) => ({ params: { a } })],
      ['data.params.a', { rule: 'query', field: 'params', encode: 'none' }, (a) => ({ params: { a } })],
      ['data.query.a', { rule: 'prehash', template: '{path}{?query}' }, (a) => ({ path, query: { a } })],
      ['data.body.a', form, (a) => ({ body: { a } })],
      ['data.body.a', { rule: 'kraken' }, (a) => ({ path, body: { nonce: 1, a } })],
      ['data.query.a', { rule: 'kraken-futures' }, (a) => ({ path, query: { a } })],
      ['data.body.a', { rule: 'kraken-futures' }, (a) => ({ path, body: { a } })],
      ['data.params.a', { rule: 'backpack' }, (a) => ({ instruction: 'x', params: { a }, ...times })],
      ['data.orders[0].a', { rule: 'backpack' }, (a) => ({ instruction: 'x', orders: [{ a }], ...times })],
      ['data.params.a', token, (a) => ({ params: { a } })],
    ];
    for (const [at, rule, toData] of cases) {
      it(`${JSON.stringify(rule)}, ${at}`, () => {
        const build = (value: JsonValue) => buildPayload(toData(value), rule, payloadContext({}, 'hmac-sha256'));
        for (const value of ['x', 0.000001, 5, true]) expect(build(value).ok, String(value)).to.equal(true);
        for (const value of [0.0000001, -1.5e-9]) {
          expectIssue(build(value), at, /with an exponent, such as 1e-8: send a decimal string$/);
        }
        expectIssue(build({ price: '1' }), at, /of an object or a list, give its JSON text$/);
      });
    }

    it('concat-sorted, of which the venue signs no fractions', () => {
      const data = { method: 'private/a', id: 1, nonce: 1700000000000, params: { a: 1e-8 } };
      const built = buildPayload(data, { rule: 'concat-sorted' }, payloadContext({ apiKey: 'k' }));
      expectIssue(built, 'data.params.a', /^must be an integer; send decimals as strings/);
    });
  });
});
