import { expect } from 'chai';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { Spellings } from '../../../../../src/domain/payload/signed/signed-value.ts';
import { getSignedReader } from '../../../../../src/domain/policy/signed-reader.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';

const CLAIMS = {
  access_key: '{account.apiKey}',
  nonce: '{data.nonce}',
  nbf: { time: 's' },
  uri: '{METHOD} api.example.com{path}',
} as const;

function read(rule: PayloadRule, data: JsonObject) {
  const built = buildPayload(data, rule, payloadContext({ apiKey: 'key' }, 'es256'));
  if (!built.ok) throw new Error(`${built.refusal.path} ${built.refusal.message}`);
  const reader = getSignedReader(rule);
  return reader.read(built.value, { fields: new Set(Object.keys(reader.fields)), spellings: new Spellings([]) });
}

const DATA = { method: 'get', path: '/v1/orders', timestamp: 1_700_000_000, nonce: '주문 "1"' };

describe('getSignedReader: rule jwt', () => {
  it('reads header and claims as the signed text has them', () => {
    const { header, claims, ...more } = read(
      { rule: 'jwt', header: { kid: '{account.apiKey}' }, claims: CLAIMS },
      DATA,
    );
    expect(header).to.deep.equal(
      new Map([
        ['alg', 'ES256'],
        ['kid', 'key'],
        ['typ', 'JWT'],
      ]),
    );
    expect(claims).to.deep.equal(
      new Map<string, unknown>([
        ['access_key', 'key'],
        ['nonce', DATA.nonce],
        ['nbf', 1_700_000_000n],
        ['uri', 'GET api.example.com/v1/orders'],
      ]),
    );
    expect(more).to.deep.equal({});
  });

  it('reads the hashed parameters, decoded', () => {
    const data = { ...DATA, params: { market: 'KRW-BTC', note: '주문' } };
    for (const encode of ['none', 'percent'] as const) {
      expect(read({ rule: 'jwt', claims: CLAIMS, queryHash: { encode } }, data)['params']).to.deep.equal(
        new Map([
          ['market', 'KRW-BTC'],
          ['note', '주문'],
        ]),
      );
    }
    expect(read({ rule: 'jwt', claims: CLAIMS, queryHash: {} }, DATA)['params']).to.deep.equal(new Map());
  });

  it('has no params where a name occurs twice', () => {
    const data = { ...DATA, params: { 'states[]': ['wait', 'watch'] } };
    expect(read({ rule: 'jwt', claims: CLAIMS, queryHash: { encode: 'none' } }, data)).to.not.have.property('params');
  });
});
