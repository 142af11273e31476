import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { TypedData, TypedDataTypes } from '../../../../../src/domain/model/payload.ts';
import { toOutcome } from '../../../../../src/domain/payload/payload-outcome.ts';
import { encodeTypedData } from '../../../../../src/domain/payload/typed-data/eip712.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import {
  ACCEPTED,
  MAIL,
  MAIL_ENCODED,
  NO_FIELD_NAMES,
  NO_STRUCT_NAMES,
  NO_TYPES,
  ORDER_TYPES,
  REFUSED,
  single,
} from './typed-data-samples.ts';

function encode(typedData: TypedData) {
  return toOutcome(() => encodeTypedData(typedData, payloadContext()).bytes);
}

describe('EIP-712', () => {
  function encoded(typedData: TypedData): string {
    const encoding = encode(typedData);
    if (!encoding.ok) throw new Error(`refused: ${encoding.refusal.path} ${encoding.refusal.message}`);
    return Buffer.from(encoding.value).toString('hex');
  }

  function refusal(typedData: TypedData): string {
    const encoding = encode(typedData);
    if (encoding.ok) throw new Error(`accepted: ${JSON.stringify(typedData).slice(0, 300)}`);
    expect(encoding.refusal.message).to.match(/^(?:must|is) /);
    return encoding.refusal.path;
  }

  const refusedDomain = (domain: JsonObject): string => refusal({ ...MAIL, domain });
  const refusedTypes = (types: TypedDataTypes): string => refusal({ ...MAIL, types: { ...MAIL.types, ...types } });

  describe('encodes', () => {
    it("the mail of EIP-712's example", () => {
      expect(encoded(MAIL)).to.equal(MAIL_ENCODED);
    });

    it('the primary type, regardless of unused types', () => {
      const person = { ...MAIL, primaryType: 'Person', message: MAIL.message['from'] as JsonObject };
      expect(encoded(person)).to.not.equal(MAIL_ENCODED);
      expect(encoded({ ...person, types: { Person: MAIL.types['Person'] ?? [] } })).to.equal(encoded(person));
      const more = { Unused: [{ name: 'x', type: 'Other[]' }], Other: [{ name: 'back', type: 'Unused' }] };
      expect(encoded({ ...MAIL, types: { ...more, ...MAIL.types } })).to.equal(MAIL_ENCODED);
    });

    it('domain members in their standard order, and a chainId as number, decimal digits or hex', () => {
      const { name, version, chainId, verifyingContract } = MAIL.domain as Record<string, JsonValue>;
      const turned = { verifyingContract, chainId, version, name } as JsonObject;
      expect(encoded({ ...MAIL, domain: turned })).to.equal(MAIL_ENCODED);
      for (const other of ['1', '0x1', '0x01']) {
        expect(encoded({ ...MAIL, domain: { ...MAIL.domain, chainId: other } })).to.equal(MAIL_ENCODED);
      }
    });

    it("names with single spaces as ethers does: the members of Aster's withdrawals", () => {
      const names = ['type', 'destination Chain', 'token', 'amount', 'fee', 'aster chain'];
      const types = { Action: names.map((name) => ({ name, type: 'string' })) };
      const message = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
      const domain = { name: 'Aster', version: '1', chainId: 56, verifyingContract: `0x${'0'.repeat(40)}` };
      const hash = keccak256(`0x${encoded({ domain, types, primaryType: 'Action', message })}`);
      expect(hash).to.equal(TypedDataEncoder.hash(domain, types, message));
    });

    for (const [type, values] of ACCEPTED) {
      it(`${type} in each of its forms`, () => {
        for (const value of values) expect(encoded(single(type, value))).to.match(/^1901[0-9a-f]{128}$/);
      });
    }
  });

  describe('refuses', () => {
    for (const [type, values] of REFUSED) {
      it(`a value that is not a valid ${type}`, () => {
        for (const value of values) expect(refusal(single(type, value))).to.match(/^data\.message\.value(?:\[\d\])*$/);
      });
    }

    it('an invalid value deep in a message, naming its path', () => {
      const order = (side: JsonValue) => ({ price: '1', legs: [{ side: true }, { side }] });
      const path = refusal(single('Order[]', [order(false), order(1)], ORDER_TYPES));
      expect(path).to.equal('data.message.value[1].legs[1].side');
      expect(refusal(single('Order', { price: 1, legs: [null] }, ORDER_TYPES))).to.equal('data.message.value.legs[0]');
      expect(refusal(single('Order', [], ORDER_TYPES))).to.equal('data.message.value');
    });

    it('an invalid or ambiguous type', () => {
      for (const type of NO_TYPES) {
        expect(refusal(single(type, true)), type).to.equal('data.types.Message[0].type');
      }
    });

    it('names that would make the encoded type ambiguous', () => {
      for (const field of NO_FIELD_NAMES) {
        const path = refusedTypes({ Mail: [{ name: field, type: 'bool' }] });
        expect(path, field).to.equal('data.types.Mail[0].name');
      }
      for (const struct of NO_STRUCT_NAMES) {
        const types = { [struct]: [{ name: 'a', type: 'bool' }] };
        const typedData = { domain: MAIL.domain, types, primaryType: struct, message: { a: true } };
        expect(refusal(typedData), struct).to.match(/^data\.types/);
      }
    });

    it('the same names in types that the message does not use', () => {
      for (const field of NO_FIELD_NAMES) {
        const path = refusedTypes({ Unused: [{ name: field, type: 'bool' }] });
        expect(path, field).to.equal('data.types.Unused[0].name');
      }
      for (const struct of NO_STRUCT_NAMES) {
        expect(refusedTypes({ [struct]: [] }), struct).to.match(/^data\.types./);
      }
      expect(refusedTypes({ Unused: [{ name: 'x', type: 'Nowhere' }] })).to.equal('data.types.Unused[0].type');
    });

    it('a struct named like the atomic type of a member, on whose hash libraries differ', () => {
      const types = { Message: [{ name: 'contents', type: 'bytes32' }], bytes32: [] };
      const message = { contents: `0x${'00'.repeat(32)}` };
      const typedData = { domain: { name: 'X' }, types, primaryType: 'Message', message };
      expect(refusal(typedData)).to.equal('data.types.bytes32');
    });

    it('a duplicate member name in a type', () => {
      const twice = [
        { name: 'a', type: 'bool' },
        { name: 'a', type: 'bool' },
      ];
      expect(refusedTypes({ Person: twice })).to.equal('data.types.Person[1].name');
    });

    it('an unknown primary type, and the domain as primary type', () => {
      for (const primaryType of ['Nothing', '', 'mail', 'constructor', 'string', '__proto__', 'EIP712Domain']) {
        expect(refusal({ ...MAIL, primaryType }), primaryType).to.equal('data.primaryType');
      }
    });

    it('recursive types', () => {
      const circle = {
        A: [{ name: 'b', type: 'B[]' }],
        B: [{ name: 'c', type: 'C' }],
        C: [{ name: 'a', type: 'A[]' }],
      };
      const inCircle = { domain: MAIL.domain, types: circle, primaryType: 'A', message: { b: [] } };
      expect(refusal(inCircle)).to.equal('data.types.C[0].type');
      const own = { A: [{ name: 'a', type: 'A[]' }] };
      expect(refusal({ domain: MAIL.domain, types: own, primaryType: 'A', message: { a: [] } })).to.equal(
        'data.types.A[0].type',
      );
    });

    it('a domain with unknown members or values of another type', () => {
      expect(refusedDomain({ ...MAIL.domain, chainID: 1 })).to.equal('data.domain.chainID');
      expect(refusedDomain({ ...MAIL.domain, extensions: [] })).to.equal('data.domain.extensions');
      const wrong: readonly JsonObject[] = [
        { name: 1 },
        { name: null },
        { name: '\ud800' },
        { version: 1 },
        ...[-1, 0.5, '', '01', '0x', 'one', null, String(2n ** 256n)].map((chainId) => ({ chainId })),
        ...['0x', '0xcD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', 'vitalik.eth', null].map((verifyingContract) => ({
          verifyingContract,
        })),
        ...['0x', '0xab', `${'ab'.repeat(32)}`, 1].map((salt) => ({ salt })),
      ];
      for (const domain of wrong) {
        expect(refusedDomain(domain), JSON.stringify(domain)).to.equal(`data.domain.${Object.keys(domain)[0]}`);
      }
    });

    it('without revealing the values', () => {
      const secret = 'NOT-TO-BE-SHOWN';
      const cases = [
        ...['uint8', 'bool', 'bytes', 'bytes4', 'address', 'bool[]', 'Order'].map((type) =>
          single(type, secret, ORDER_TYPES),
        ),
        single(secret, 1),
        { ...MAIL, primaryType: secret },
        { ...MAIL, domain: { chainId: secret } },
        { ...MAIL, domain: { salt: secret } },
      ];
      for (const typedData of cases) expect(JSON.stringify(encode(typedData))).to.not.include(secret);
    });
  });

  describe('is bounded', () => {
    const isAccepted = (types: TypedDataTypes, message: JsonObject) =>
      encode({ domain: { name: 'Test' }, types, primaryType: 'M', message }).ok;

    it('at 256 values, including objects and arrays themselves', () => {
      const types = { M: [{ name: 'a', type: 'bool[]' }] };
      const booleans = (count: number) => ({ a: Array.from({ length: count }, () => true) });
      // The array counts.
      expect(isAccepted(types, booleans(255))).to.equal(true);
      expect(isAccepted(types, booleans(256))).to.equal(false);
    });

    it('at 65,536 characters of texts and bytes', () => {
      const types = {
        M: [
          { name: 'a', type: 'string' },
          { name: 'b', type: 'bytes' },
        ],
      };
      const message = (characters: number) => ({ a: 'x'.repeat(characters - 40_000), b: `0x${'0'.repeat(39_998)}` });
      expect(isAccepted(types, message(65_536))).to.equal(true);
      expect(isAccepted(types, message(65_537))).to.equal(false);
    });

    it('at 64 nested structs', () => {
      const chain = (length: number) =>
        Object.fromEntries(
          Array.from({ length }, (_, index) => [
            index === 0 ? 'M' : `S${index}`,
            index === length - 1 ? [] : [{ name: 'a', type: `S${index + 1}` }],
          ]),
        );
      const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) });
      expect(isAccepted(chain(64), nested(64))).to.equal(true);
      expect(isAccepted(chain(65), nested(65))).to.equal(false);
    });

    it('at 8192 characters of names and types', () => {
      const types = (length: number) => ({
        M: [{ name: 'a'.repeat(length - 'M'.length - 'bool'.length), type: 'bool' }],
      });
      const message = (length: number) => ({ ['a'.repeat(length - 'M'.length - 'bool'.length)]: true });
      expect(isAccepted(types(8192), message(8192))).to.equal(true);
      expect(isAccepted(types(8193), message(8193))).to.equal(false);
    });

    /** Two types a level, each with members of both types of the next: 2^60 paths. */
    function woven(): TypedDataTypes {
      const levels = Array.from({ length: 60 }, (_, level) => {
        const fields = ['A', 'B'].map((next) => ({ name: next, type: `${next}${level + 1}[]` }));
        return ['A', 'B'].map((type) => [`${type}${level}`, fields] as const);
      });
      return { ...Object.fromEntries(levels.flat()), A60: [], B60: [] };
    }

    it('for densely interlinked types, and for long chains of types', () => {
      expect(refusal({ domain: {}, types: woven(), primaryType: 'A0', message: { A: [], B: [] } })).to.equal(
        'data.types',
      );
      const chain = Array.from({ length: 20_000 }, (_, i) => [`A${i}`, [{ name: 'n', type: `A${i + 1}[]` }]] as const);
      const types = { ...Object.fromEntries(chain), A20000: [] };
      expect(refusal({ domain: {}, types, primaryType: 'A0', message: { n: [] } })).to.equal('data.types');
    });

    // Quadratic work takes longer than the suite's timeout.
    it('for long lists of values, of types and of brackets, and for a long value', () => {
      const list = <Value>(length: number, value: Value) => Array.from({ length }, () => value);
      encode(single('uint8[]', list(200_000, 1)));
      encode(single('Empty[]', list(200_000, {}), { Empty: [] }));
      encode(single('bool[][]', list(200_000, [])));
      encode(single('bytes', `0x${'ab'.repeat(500_000)}`));
      encode(single(`bool${'[]'.repeat(400_000)}`, []));
      encode(single('A'.repeat(1_000_000), {}));
      const wide = Array.from({ length: 40_000 }, (_, index) => ({ name: `f${index}`, type: 'bool' }));
      encode(single('Wide[]', [], { Wide: wide }));
    });

    it('for deeply nested arrays', () => {
      const deep = Array.from({ length: 100_000 }).reduce<JsonValue>((inner) => [inner], []);
      expect(refusal(single('bool[]', deep))).to.equal('data.message.value[0]');
    });
  });

  it('never throws, for any JSON in each place', () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const object = fc.dictionary(fc.string(), json) as fc.Arbitrary<JsonObject>;
    const typeName = fc.oneof(
      fc.constantFrom('A', 'B', 'A[]', 'B[2]', 'uint8', 'bytes3', 'address', 'string[]'),
      fc.string(),
    );
    const fields = fc.array(fc.record({ name: fc.oneof(fc.constantFrom('x', 'y'), fc.string()), type: typeName }));
    const types = fc.dictionary(
      fc.oneof(fc.constantFrom('A', 'B'), fc.string()),
      fields,
    ) as fc.Arbitrary<TypedDataTypes>;
    const message = fc.oneof(object, fc.record({ x: json, y: json }), fc.record({ x: json }));
    const domain = fc.oneof(object, fc.constant({}), fc.record({ name: fc.string(), chainId: json }));
    fc.assert(
      fc.property(domain, types, fc.oneof(fc.constant('A'), fc.string()), message, (...parts) => {
        const [given, givenTypes, primaryType, givenMessage] = parts;
        const encoding = encode({
          domain: given,
          types: givenTypes,
          primaryType,
          message: givenMessage as JsonObject,
        });
        if (encoding.ok) expect(encoding.value).to.have.length(66);
        else expect(encoding.refusal.path).to.match(/^data\.(?:domain|types|primaryType|message)/);
      }),
      { numRuns: 150 },
    );
  });
});
