import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue } from '../payload-expectations.ts';
import { MAIL, MAIL_ENCODED } from '../typed-data/typed-data-samples.ts';

const DATA = MAIL as unknown as JsonObject & { readonly types: JsonObject; readonly domain: JsonObject };

const CONTRACT = '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC';

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

function build(data: JsonObject, domain?: JsonObject) {
  return buildPayload(data, { rule: 'typed-data', ...(domain && { domain }) }, payloadContext());
}

function without(name: string): JsonObject {
  return Object.fromEntries(Object.entries(DATA).filter(([other]) => other !== name));
}

function withTypes(types: JsonObject): JsonObject {
  return { ...DATA, types: { ...DATA.types, ...types } };
}

describe('rule typed-data', () => {
  it("rejects exactly the domain of Hyperliquid's L1 actions, which have their own algorithm", () => {
    const exchange = {
      name: 'Exchange',
      version: '1',
      chainId: 1337,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    };
    const of = (domain: JsonObject) => build({ ...DATA, domain });
    expectIssue(of(exchange), 'data.domain', /^must not be the domain of Hyperliquid's L1 actions/);
    expectIssue(of({ ...exchange, chainId: '0x539' }), 'data.domain', /^must not be the domain of Hyperliquid/);
    expect(of({ ...exchange, chainId: 1338 }).ok).to.equal(true);
    expect(of({ ...exchange, name: 'exchange' }).ok).to.equal(true);
  });

  it('rejects data with missing, mistyped or additional members', () => {
    for (const name of ['domain', 'types', 'primaryType', 'message']) {
      expectIssue(build(without(name)), `data.${name}`, /^is missing; it must be /);
      for (const value of [null, 1, []] satisfies JsonValue[]) {
        expectIssue(build({ ...DATA, [name]: value }), `data.${name}`, /^must be an? (?:object|string)/);
      }
    }
    expectIssue(build({ ...DATA, account: 'x' }), 'data.account', /^is not a field of typed data/);
    expectIssue(build({}), 'data.domain', /^is missing/);
  });

  it('rejects types that are not lists of fields with a name and a type', () => {
    expectIssue(build(withTypes({ Mail: {} })), 'data.types.Mail', /^must be an array/);
    expectIssue(build(withTypes({ Unused: null })), 'data.types.Unused', /^must be an array/);
    const faulty = [null, [], { name: 'a' }, { name: 1, type: 'bool' }, { name: 'a', type: 1 }];
    for (const field of faulty satisfies JsonValue[]) {
      const types = withTypes({ Mail: [{ name: 'from', type: 'bool' }, field] });
      expectIssue(build(types), 'data.types.Mail[1]', /^must be an object with exactly two strings, name and type$/);
    }
  });

  it('names the member of a field that has a third one', () => {
    const field = { __typename: 'Field', name: 'from', type: 'bool' };
    for (const name of ['Mail', 'Unused']) {
      const types = withTypes({ [name]: [{ name: 'a', type: 'bool' }, field] });
      expectIssue(build(types), `data.types.${name}[1].__typename`, /^must be absent: a field has only/);
    }
  });

  it('rejects one that lists other members, other types or another order', () => {
    const [name, version, chainId, verifyingContract] = DOMAIN_TYPE as Required<JsonObject>[];
    const salt = { name: 'salt', type: 'bytes32' };
    const declared = [
      [name, version, chainId],
      [name, version, chainId, verifyingContract, salt],
      [version, name, chainId, verifyingContract],
      [name, version, { name: 'chainId', type: 'uint64' }, verifyingContract],
    ] as JsonValue[];
    for (const EIP712Domain of declared) {
      expectIssue(
        build(withTypes({ EIP712Domain })),
        'data.types.EIP712Domain',
        /^must be absent or list exactly the members of data.domain/,
      );
    }
  });

  describe('with a domain in the configuration', () => {
    const pinned = DATA.domain;
    const withDomain = (change: JsonObject) => ({ ...DATA, domain: { ...DATA.domain, ...change } });

    it('compares chainId as a number, and contract and salt ignoring case', () => {
      for (const chainId of [1, '1', '0x1', '0x01']) {
        for (const wanted of [1, '1', '0x1']) {
          expectBytes(build(withDomain({ chainId }), { chainId: wanted }), MAIL_ENCODED, MAIL_ENCODED);
        }
      }
      expectBytes(build(DATA, { verifyingContract: CONTRACT.toLowerCase() }), MAIL_ENCODED, MAIL_ENCODED);
      const salt = `0x${'ab'.repeat(32)}`;
      expect(build(withDomain({ salt }), { salt: `0x${'AB'.repeat(32)}` }).ok).to.equal(true);
    });

    it('rejects every other domain, naming the member', () => {
      const changes: readonly JsonObject[] = [
        { name: 'Ether mail' },
        { version: 1 },
        { chainId: '2' },
        { chainId: '1.0' },
        { verifyingContract: `0x${'cd'.repeat(20)}` },
      ];
      for (const change of changes) {
        const [name] = Object.keys(change);
        expectIssue(
          build(withDomain(change), pinned),
          `data.domain.${name}`,
          /^must match the domain in the platform's configuration/,
        );
      }
      for (const name of Object.keys(pinned)) {
        const domain = Object.fromEntries(Object.entries(DATA.domain).filter(([other]) => other !== name));
        expectIssue(
          build({ ...DATA, domain }, pinned),
          `data.domain.${name}`,
          /^must match the domain in the platform's configuration/,
        );
      }
    });
  });
});
