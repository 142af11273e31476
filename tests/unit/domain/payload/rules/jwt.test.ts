import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { anyText } from '../../../../property/any-text.ts';
import { expectIssue, expectParts } from '../payload-expectations.ts';

const REST: PayloadRule = {
  rule: 'jwt',
  header: { kid: '{account.keyName}', nonce: '{data.nonce}' },
  claims: {
    iss: 'cdp',
    sub: '{account.keyName}',
    aud: ['one', '{account.keyName}'],
    nbf: { time: 's' },
    exp: { time: 's', expiresIn: 120 },
    uri: '{METHOD} api.example.com{path}',
  },
};
const QUERY: PayloadRule = {
  rule: 'jwt',
  claims: { access_key: '{account.keyName}', nonce: '{data.nonce}', timestamp: { time: 'ms' } },
  queryHash: { encode: 'none' },
};
const VALUES = { keyName: 'organizations/o/apiKeys/k' };
const DATA = { method: 'get', path: '/v1/orders', timestamp: 1_700_000_000, nonce: 'n-1' };

interface Token {
  readonly header: unknown;
  readonly claims: unknown;
}

function parse(text: string): Token {
  const [header, claims, ...more] = text
    .split('.')
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  expect(more).to.deep.equal([]);
  return { header, claims };
}

function textOf(data: JsonObject, rule = REST, algorithm: Parameters<typeof payloadContext>[1] = 'es256'): string {
  const outcome = buildPayload(data, rule, payloadContext(VALUES, algorithm));
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.path} ${outcome.refusal.message}`);
  expect(Buffer.from(outcome.value.bytes).toString()).to.equal(outcome.value.text);
  return outcome.value.text;
}

function issueOf(data: JsonObject, rule = REST) {
  return buildPayload(data, rule, payloadContext(VALUES, 'es256'));
}

describe('rule jwt', () => {
  it('signs header and claims as compact JSON in the configured order, in base64url without padding', () => {
    const [header, claims] = textOf(DATA).split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).to.equal(
      '{"alg":"ES256","kid":"organizations/o/apiKeys/k","nonce":"n-1","typ":"JWT"}',
    );
    expect(Buffer.from(claims ?? '', 'base64url').toString()).to.equal(
      '{"iss":"cdp","sub":"organizations/o/apiKeys/k","aud":["one","organizations/o/apiKeys/k"],"nbf":1700000000,"exp":1700000120,"uri":"GET api.example.com/v1/orders"}',
    );
    expect(textOf(DATA)).to.match(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  });

  it('names the algorithm of the account', () => {
    for (const [algorithm, alg] of [
      ['es256', 'ES256'],
      ['ed25519', 'EdDSA'],
      ['hmac-sha256', 'HS256'],
      ['hmac-sha512', 'HS512'],
    ] as const) {
      expect(parse(textOf(DATA, REST, algorithm)).header).to.include({ alg });
    }
    expect(() => textOf(DATA, REST, 'eip191')).to.throw('signs no tokens');
  });

  it('rejects an empty claim, and a token that POST /verify could not take', () => {
    expectIssue(issueOf({ ...DATA, nonce: '' }), 'data.nonce', /must not be empty/);
    expect(textOf({ ...DATA, nonce: 'n'.repeat(11_000) }).length).to.be.below(16_001);
    expectIssue(issueOf({ ...DATA, nonce: 'n'.repeat(12_000) }), 'data', /more than 16000 characters/);
  });

  it('takes times from data.timestamp, in seconds or milliseconds', () => {
    const iso = { ...DATA, timestamp: '2023-11-14T22:13:20Z' };
    expect(textOf(iso)).to.equal(textOf(DATA));
    const { claims } = parse(textOf({ nonce: 'n', timestamp: 1_712_230_310_689 }, QUERY));
    expect(claims).to.deep.equal({ access_key: VALUES.keyName, nonce: 'n', timestamp: 1_712_230_310_689 });
    expectIssue(issueOf({ ...DATA, timestamp: 1_700_000_000_000 }), 'data.timestamp', /10 digits/);
    const { timestamp: _, ...timeless } = DATA;
    expectIssue(issueOf(timeless), 'data.timestamp', /is missing/);
  });

  it('adds the hash of the parameters in the order sent, and returns their text', () => {
    const params = {
      market: 'KRW-BTC',
      'states[]': ['wait', 'watch'],
      limit: 10,
      at: '2024-06-13T10:00:00+09:00',
      id: '주문',
    };
    const data = { nonce: 'n', timestamp: 1_712_230_310_689, params };
    const text = 'market=KRW-BTC&states[]=wait&states[]=watch&limit=10&at=2024-06-13T10:00:00+09:00&id=주문';
    expect(parse(textOf(data, QUERY)).claims).to.deep.include({
      query_hash: createHash('sha512').update(text).digest('hex'),
      query_hash_alg: 'SHA512',
    });
    const parts = { timestamp: '1712230310689', data: { nonce: 'n' }, values: VALUES };
    expectParts(issueOf(data, QUERY), { ...parts, query: text });
    const encoded =
      'market=KRW-BTC&states[]=wait&states[]=watch&limit=10&at=2024-06-13T10%3A00%3A00%2B09%3A00&id=%EC%A3%BC%EB%AC%B8';
    expectParts(issueOf(data, { ...QUERY, queryHash: {} }), { ...parts, query: encoded });
  });

  it('rejects parameters that a query string cannot express', () => {
    const data = (params: JsonObject | string) => ({ nonce: 'n', timestamp: 1_712_230_310_689, params });
    expectIssue(issueOf(data('a=1'), QUERY), 'data.params', /must be an object/);
    expectIssue(issueOf(data({ states: ['a'] }), QUERY), 'data.params.states', /ends with \[\]/);
    expectIssue(issueOf(data({ 'states[]': [] }), QUERY), 'data.params["states[]"]', /at least one element/);
    for (const value of [{ b: 1 }, null]) {
      expectIssue(issueOf(data({ a: value }), QUERY), 'data.params.a', /^must be a string, a number or a boolean/);
    }
    expectIssue(issueOf(data({ a: 'x&b=2' }), QUERY), 'data.params.a', /must not have &/);
  });

  it('rejects a query in the path, and parts that the token does not contain', () => {
    expectIssue(issueOf({ ...DATA, path: '/v1/orders?limit=1' }), 'data.path', /must not have a query/);
    for (const name of ['body', 'query', 'params']) {
      expectIssue(issueOf({ ...DATA, [name]: {} }), `data.${name}`, /must be absent/);
    }
    expectIssue(issueOf({ ...DATA, keyName: 'other' }), 'data.keyName', /fixed in the account/);
    expectIssue(issueOf({ ...DATA, path: '/v1/../admin' }), 'data.path', /segment/);
  });

  it('lets no value of a request add or change another member', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText(), fc.constantFrom('","sub":"x', '\\', '"', '{account.keyName}', '\u2028')),
        (nonce) => {
          const outcome = buildPayload({ ...DATA, nonce }, REST, payloadContext(VALUES, 'es256'));
          if (!outcome.ok) {
            expect(outcome.refusal.path).to.equal('data.nonce');
            return;
          }
          const { header, claims } = parse(outcome.value.text);
          expect(header).to.deep.equal({ alg: 'ES256', kid: VALUES.keyName, nonce, typ: 'JWT' });
          expect(claims).to.deep.equal(parse(textOf(DATA)).claims);
        },
      ),
    );
  });
});
