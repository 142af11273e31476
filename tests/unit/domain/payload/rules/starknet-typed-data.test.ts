import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';

const ADDRESS = '0x0000CD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826';
const CONTEXT = payloadContext({ address: ADDRESS });
const RULE: PayloadRule = { rule: 'starknet-typed-data' };

const DATA = {
  domain: { name: 'StarkNet Mail', version: '1', chainId: 1 },
  types: {
    StarkNetDomain: [
      { name: 'name', type: 'felt' },
      { name: 'version', type: 'felt' },
      { name: 'chainId', type: 'felt' },
    ],
    Mail: [{ name: 'contents', type: 'felt' }],
  },
  primaryType: 'Mail',
  message: { contents: 'Hello, Bob!' },
};

function issueOf(data: JsonObject, rule = RULE): string {
  const outcome = buildPayload(data, rule, CONTEXT);
  if (outcome.ok) throw new Error('was accepted');
  return `${outcome.refusal.path} ${outcome.refusal.message}`;
}

describe('Rule starknet-typed-data', () => {
  it('takes the address from the account alone', () => {
    const other = buildPayload(DATA, RULE, payloadContext({ address: '0x5' }));
    expect(other).to.not.deep.equal(buildPayload(DATA, RULE, CONTEXT));
    for (const name of ['account', 'address']) {
      expect(issueOf({ ...DATA, [name]: '0x5' })).to.match(new RegExp(`^data\\.${name} is not a field of typed data`));
    }
  });

  it('throws without a valid address, which the configuration rules out', () => {
    for (const values of [{}, { address: 'x' }, { address: '0x0' }]) {
      expect(() => buildPayload(DATA, RULE, payloadContext(values))).to.throw(/no StarkNet address/);
    }
  });

  it('signs the configured domain only, in each spelling', () => {
    const rule = { ...RULE, domain: { name: 'StarkNet Mail', version: 1 } };
    for (const version of [1, '1', '0x1']) {
      expect(buildPayload({ ...DATA, domain: { ...DATA.domain, version } }, rule, CONTEXT).ok).to.equal(true);
    }
    expect(issueOf({ ...DATA, domain: { ...DATA.domain, version: 2 } }, rule)).to.match(
      /^data\.domain\.version must match/,
    );
    expect(issueOf({ ...DATA, domain: { version: 1, chainId: 1 } }, rule)).to.match(/^data\.domain\.name must match/);
  });

  it('reads the revision from the domain: absent or 0, or 1', () => {
    for (const revision of [2, '0x2', null, 'one', -1, []] as JsonValue[]) {
      const data = { ...DATA, domain: { ...DATA.domain, revision } };
      expect(issueOf(data)).to.match(/^data\.domain\.revision must be 0, 1 or absent/);
    }
    for (const revision of [1, '1', '0x1']) {
      expect(issueOf({ ...DATA, domain: { ...DATA.domain, revision } })).to.match(
        /^data\.types must have the type StarknetDomain in/,
      );
    }
  });

  it('names the field that is missing or malformed', () => {
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ ...DATA, domain: 'x' }, 'data.domain must be an object'],
      [{ ...DATA, primaryType: 1 }, 'data.primaryType must be a string'],
      [{ ...DATA, message: [] }, 'data.message must be an object'],
      [{ ...DATA, types: [] }, 'data.types must be an object'],
      [{ ...DATA, types: { Mail: {} } }, 'data.types.Mail must be an array of fields'],
      [{ ...DATA, types: { Mail: [{ name: 'a' }] } }, 'data.types.Mail[0] must be an object with exactly two strings'],
      [
        { ...DATA, types: { ...DATA.types, Mail: [{ name: 'a', type: 'enum', contains: 'B' }] } },
        'data.types.Mail[0].contains must be absent: a field has only the members name and type, and contains if it is a merkletree; enum is not supported',
      ],
    ];
    for (const [data, issue] of cases) expect(issueOf(data)).to.include(issue);
  });
});
