import { computeHashOnElements, keccak, poseidonHashMany } from '@scure/starknet';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { TypedData, TypedDataField, TypedDataTypes } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { toOutcome } from '../../../../../src/domain/payload/payload-outcome.ts';
import { encodeStarknetData } from '../../../../../src/domain/payload/typed-data/snip12.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { readProjectFile } from '../../../../project-root.ts';

interface Vector {
  readonly id: string;
  readonly address: string;
  readonly data: JsonObject;
  readonly hash: string;
}

const VECTORS: readonly Vector[] = JSON.parse(readProjectFile('tests/vectors/starknet-typed-data.json')).vectors;

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const ACCOUNT = 5n;

const felts = (...names: readonly string[]): readonly TypedDataField[] => names.map((name) => ({ name, type: 'felt' }));
const DOMAIN_1 = ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' }));

/** A message with one member, `value`, of that type. */
function single(revision: 0 | 1, type: string, value: JsonValue, more: TypedDataTypes = {}): TypedData {
  const domain = { name: 'Test', version: '1', chainId: 'SN_MAIN', ...(revision === 1 ? { revision: 1 } : {}) };
  const domainType =
    revision === 0 ? { StarkNetDomain: felts('name', 'version', 'chainId') } : { StarknetDomain: DOMAIN_1 };
  const types = { ...domainType, Message: [{ name: 'value', type }], ...more };
  return { domain, types, primaryType: 'Message', message: { value } };
}

/** A message with one member, `value`, a Merkle tree with these changes of its field. */
function tree(value: JsonValue, field: object): TypedData {
  const typedData = single(1, 'felt', value, { Leaf: felts('a') });
  return { ...typedData, types: { ...typedData.types, Message: [{ name: 'value', type: 'merkletree', ...field }] } };
}

const NUMBERS: readonly JsonValue[] = [0, 1, '255', '0xff', '0x00FF'];
const NO_NUMBERS: readonly JsonValue[] = [-1, 1.5, '1.5', '', '01', '0x', '0X1', 'one', ' 1', true, null, [], {}];
const FELTS = [...NUMBERS, 'ETH-USD-PERP', '', '1.0.2', String(PRIME - 1n)];
const NO_FELTS = [-1, '-1', 1.5, '007', ' a', 'a ', 'é', 'z'.repeat(32), String(PRIME), true, null, [], {}];
const U128 = [...NUMBERS, String(2n ** 128n - 1n)];
const NO_U128 = [...NO_NUMBERS, String(2n ** 128n)];

/** Valid and invalid values of each basic type, by revision. */
const VALUES: readonly (readonly [0 | 1, string, readonly JsonValue[], readonly JsonValue[]])[] = [
  [0, 'felt', FELTS, NO_FELTS],
  [0, 'string', FELTS, NO_FELTS],
  [0, 'bool', [true, false], [0, 1, 'true', null]],
  [0, 'selector', ['transfer', '0x1', '_a1'], ['', 'a b', '1a', 1, `0x${'f'.repeat(64)}`, null]],
  [1, 'felt', FELTS, NO_FELTS],
  [1, 'shortstring', FELTS, NO_FELTS],
  [
    1,
    'string',
    ['', 'a', 'z'.repeat(31), 'z'.repeat(32), 'z'.repeat(1024), 'line\nbreak', '1'],
    [1, true, 'é', null, []],
  ],
  [1, 'bool', [true, false], [0, 1, 'true', null]],
  [1, 'selector', ['transfer'], ['a b', 1]],
  [1, 'u128', U128, NO_U128],
  [1, 'timestamp', U128, NO_U128],
  [
    1,
    'i128',
    [...NUMBERS, -1, '-5', String(-(2n ** 127n))],
    ['-05', String(2n ** 127n), String(-(2n ** 127n) - 1n), 1.5],
  ],
  [1, 'ContractAddress', [...NUMBERS, String(PRIME - 1n)], [...NO_NUMBERS, String(PRIME), 'abc']],
  [1, 'ClassHash', NUMBERS, [...NO_NUMBERS, String(PRIME)]],
  [1, 'u256', [{ low: 1, high: '0x2' }], [1, {}, { low: 1 }, { low: 1, high: 2, more: 3 }, { low: -1, high: 0 }]],
  [1, 'TokenAmount', [{ token_address: '0x1', amount: { low: 1, high: 0 } }], [{ token_address: '0x1', amount: 1 }]],
  [1, 'NftId', [{ collection_address: '0x1', token_id: { low: 1, high: 0 } }], [{ collection_address: '0x1' }]],
];

/** Types that revision 0 has under no name. */
const ONLY_IN_REVISION_1 = [
  'shortstring',
  'u128',
  'i128',
  'timestamp',
  'ContractAddress',
  'ClassHash',
  'u256',
  'NftId',
];

function encode(typedData: TypedData, account = ACCOUNT) {
  const data = typedData as unknown as JsonObject;
  return toOutcome(() => encodeStarknetData(data, account, {}, payloadContext()).bytes);
}

describe('SNIP-12', () => {
  function encoded(typedData: TypedData, account = ACCOUNT): string {
    const encoding = encode(typedData, account);
    if (!encoding.ok) throw new Error(`refused: ${encoding.refusal.path} ${encoding.refusal.message}`);
    return Buffer.from(encoding.value).toString('hex');
  }

  function refusal(typedData: TypedData): string {
    const encoding = encode(typedData);
    if (encoding.ok) throw new Error(`accepted: ${JSON.stringify(typedData).slice(0, 300)}`);
    expect(encoding.refusal.message).to.match(/^(?:must|is|exceeds) /);
    return encoding.refusal.path;
  }

  const messageHash = (typedData: TypedData): string => encoded(typedData).slice(-64);

  for (const { id, address, data, hash } of VECTORS) {
    it(`gives the published message hash of ${id}`, () => {
      const outcome = buildPayload(data, { rule: 'starknet-typed-data' }, payloadContext({ address }));
      if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
      const bytes = Buffer.from(outcome.value.bytes);
      const felts = [1, 33, 65, 97].map((at) => BigInt(`0x${bytes.subarray(at, at + 32).toString('hex')}`));
      const number = bytes[0] === 0 ? BigInt(String(computeHashOnElements(felts))) : poseidonHashMany(felts);
      expect(`0x${number.toString(16)}`).to.equal(hash);
    });
  }

  describe('encodes', () => {
    it('the revision, the prefix, and the account between domain and message', () => {
      for (const revision of [0, 1] as const) {
        const text = encoded(single(revision, 'felt', 1), 0xabcn);
        expect(text).to.have.length(2 * 129);
        expect(text.slice(0, 66)).to.equal(
          `0${revision}${Buffer.from('StarkNet Message').toString('hex').padStart(64, '0')}`,
        );
        expect(text.slice(130, 194)).to.equal('abc'.padStart(64, '0'));
      }
    });

    for (const [revision, type, values] of VALUES) {
      it(`${type} of revision ${revision} in each of its forms`, () => {
        for (const value of values) expect(encoded(single(revision, type, value))).to.have.length(258);
      });
    }

    it('a negative i128 as the felt that is congruent to it', () => {
      const typeHash = keccak(new TextEncoder().encode('"Message"("value":"i128")'));
      const hash = BigInt(`0x${messageHash(single(1, 'i128', -1))}`);
      expect(hash).to.equal(poseidonHashMany([typeHash, PRIME - 1n]));
    });

    it('members in the order of the type, regardless of their order in message and domain', () => {
      const types = { StarkNetDomain: felts('name', 'chainId', 'version'), Message: felts('a', 'b') };
      const data = { types, primaryType: 'Message' };
      const domain = { name: 'Test', version: '1', chainId: 'X' };
      const first = encoded({ ...data, domain, message: { a: 1, b: 2 } });
      const turned = { chainId: 'X', version: '1', name: 'Test' };
      expect(encoded({ ...data, domain: turned, message: { b: 2, a: 1 } })).to.equal(first);
      const other = { ...types, StarkNetDomain: felts('name', 'version', 'chainId') };
      expect(encoded({ ...data, types: other, domain, message: { a: 1, b: 2 } })).to.not.equal(first);
    });

    it('the domain of each request, also if it resembles an earlier one', () => {
      const typedData = single(0, 'felt', 1);
      const texts = ['Test', 'Other', 'Test'].map((text) =>
        encoded({ ...typedData, domain: { ...typedData.domain, name: text } }),
      );
      expect(texts[0]).to.equal(texts[2]);
      expect(texts[0]).to.not.equal(texts[1]);
      for (let index = 0; index < 40; index += 1)
        encoded({ ...typedData, domain: { ...typedData.domain, name: index } });
      expect(encoded(typedData)).to.equal(texts[0]);
    });
  });

  describe('refuses', () => {
    for (const [revision, type, , values] of VALUES) {
      it(`a value that is not a valid ${type} of revision ${revision}`, () => {
        for (const value of values) {
          expect(refusal(single(revision, type, value)), JSON.stringify(value)).to.match(/^data\.message\.value/);
        }
      });
    }

    it('a missing or unknown member of message, struct or domain', () => {
      const typedData = single(0, 'Leg', { size: 1 }, { Leg: felts('size') });
      expect(refusal({ ...typedData, message: {} })).to.equal('data.message.value');
      expect(refusal({ ...typedData, message: { ...typedData.message, more: 1 } })).to.equal('data.message.more');
      expect(refusal({ ...typedData, message: { value: { size: 1, x: 1 } } })).to.equal('data.message.value.x');
      expect(refusal({ ...typedData, message: { value: {} } })).to.equal('data.message.value.size');
      expect(refusal({ ...typedData, domain: { name: 'Test', version: '1' } })).to.equal('data.domain.chainId');
      expect(refusal({ ...typedData, domain: { ...typedData.domain, salt: 1 } })).to.equal('data.domain.salt');
    });

    it('an invalid value deep in a message, naming its path', () => {
      const more = { Leg: [{ name: 'sizes', type: 'felt*' }] };
      const legs = [{ sizes: [1] }, { sizes: [1, -1] }];
      expect(refusal(single(0, 'Leg*', legs, more))).to.equal('data.message.value[1].sizes[1]');
      expect(refusal(single(0, 'Leg*', { sizes: [1] }, more))).to.equal('data.message.value');
    });

    it('unknown types, enum, merkletree, and those of revision 1 in revision 0', () => {
      const unknown = ['Nowhere', '', '*', 'felt*****', 'felt[]', 'enum', 'merkletree', 'constructor'];
      for (const type of unknown) {
        for (const revision of [0, 1] as const) {
          expect(refusal(single(revision, type, 1)), type).to.equal('data.types.Message[0].type');
        }
      }
      for (const type of ONLY_IN_REVISION_1) {
        expect(refusal(single(0, type, 1)), type).to.equal('data.types.Message[0].type');
      }
    });

    it('a merkletree without leaves, of arrays, of unknown leaves, in an array, and other members of fields', () => {
      expect(encoded(tree([{ a: 1 }], { contains: 'Leaf' }))).to.have.length(258);
      expect(refusal(tree([], { contains: 'Leaf' }))).to.equal('data.message.value');
      expect(refusal(tree([{ b: 1 }], { contains: 'Leaf' }))).to.equal('data.message.value[0].b');
      for (const contains of ['Leaf*', 'Nowhere', '', 'merkletree', 'enum']) {
        expect(refusal(tree([], { contains })), contains).to.equal('data.types.Message[0].type');
      }
      expect(refusal(tree([], { type: 'merkletree*' }))).to.equal('data.types.Message[0].type');
      expect(refusal(tree([], { contains: null }))).to.equal('data.types.Message[0]');
      expect(refusal(tree([], { type: 'felt', contains: 'Leaf' }))).to.equal('data.types.Message[0].contains');
    });

    it('types with the name of a type of SNIP-12, and those that the message does not use', () => {
      for (const type of ['felt', 'string', 'bool', 'selector']) {
        expect(refusal(single(0, 'felt', 1, { [type]: felts('a') })), type).to.equal(`data.types.${type}`);
      }
      for (const type of ['u256', 'TokenAmount', 'NftId']) {
        expect(refusal(single(1, type, {}, { [type]: felts('a') })), type).to.equal(`data.types.${type}`);
      }
      expect(refusal(single(0, 'felt', 1, { Unused: felts('a') }))).to.equal('data.types.Unused');
      expect(refusal(single(1, 'felt', 1, { StarkNetDomain: felts('a') }))).to.equal('data.types.StarkNetDomain');
    });

    it('names that would make the encoded type ambiguous', () => {
      for (const field of ['', 'a:felt,b', 'a,b', 'a)', 'a(', '"a', 'a\\', 'a*', 'é', '__proto__', ' a', 'a ']) {
        for (const revision of [0, 1] as const) {
          const typedData = single(revision, 'felt', 1);
          const types = { ...typedData.types, Message: [{ name: field, type: 'felt' }] };
          expect(refusal({ ...typedData, types }), field).to.equal('data.types.Message[0].name');
        }
      }
      for (const struct of ['A(', 'A"', 'A,B']) {
        const path = refusal(single(1, struct, { a: 1 }, { [struct]: felts('a') }));
        expect(path, struct).to.equal(`data.types[${JSON.stringify(struct)}]`);
      }
    });

    it('a duplicate member name in a type', () => {
      const typedData = single(0, 'felt', 1);
      const types = { ...typedData.types, Message: felts('value', 'value') };
      expect(refusal({ ...typedData, types })).to.equal('data.types.Message[1].name');
    });

    it('an unknown primary type, and the domain as primary type', () => {
      for (const primaryType of ['Nothing', '', 'message', 'constructor', 'felt', '__proto__', 'StarkNetDomain']) {
        expect(refusal({ ...single(0, 'felt', 1), primaryType }), primaryType).to.equal('data.primaryType');
      }
    });

    it('a domain type that is missing, of the other revision, or other than SNIP-12 allows', () => {
      const { StarkNetDomain: _, ...rest } = single(0, 'felt', 1).types;
      expect(refusal({ ...single(0, 'felt', 1), types: rest })).to.equal('data.types');
      const ofRevision1 = single(1, 'felt', 1);
      for (const fields of [
        DOMAIN_1.slice(0, 3),
        DOMAIN_1.toReversed(),
        felts('name', 'version', 'chainId', 'revision'),
        [],
      ]) {
        const types = { ...ofRevision1.types, StarknetDomain: fields };
        expect(refusal({ ...ofRevision1, types })).to.equal('data.types.StarknetDomain');
      }
      for (const fields of [felts('salt'), [{ name: 'name', type: 'bool' }]]) {
        const types = { ...single(0, 'felt', 1).types, StarkNetDomain: fields };
        expect(refusal({ ...single(0, 'felt', 1), types })).to.equal('data.types.StarkNetDomain');
      }
    });

    it('recursive types', () => {
      const circle = { A: [{ name: 'b', type: 'B*' }], B: [{ name: 'a', type: 'A' }] };
      expect(refusal(single(0, 'A', { b: [] }, circle))).to.equal('data.types.B[0].type');
    });

    it('without revealing the values', () => {
      const secret = 'NOT-TO-BE-SHOWN-'.repeat(3);
      for (const type of ['felt', 'bool', 'u128', 'selector', 'felt*', 'u256', 'ContractAddress']) {
        expect(JSON.stringify(encode(single(1, type, secret)))).to.not.include(secret);
      }
      const domain = { ...single(0, 'felt', 1).domain, name: secret };
      expect(JSON.stringify(encode({ ...single(0, 'felt', 1), domain }))).to.not.include(secret);
    });
  });

  describe('counts hash operations, by the definition of SNIP-12, and refuses more than the limit', () => {
    const limited = (typedData: TypedData) => {
      const encoding = encode(typedData);
      return encoding.ok ? null : `${encoding.refusal.path} ${encoding.refusal.message}`;
    };
    const texts = (length: number) => Array.from({ length }, () => 'z'.repeat(1024));
    const empty = (length: number) => Array.from({ length }, () => ({}));
    const rows = (length: number, width: number) =>
      Array.from({ length }, () => Array.from({ length: width }, () => 1));

    // A list of n felts: Pedersen n + 1 times, or ⌊n / 2⌋ + 1 permutations of Poseidon. The message
    // itself is a list of two: the hash of its type, and the value.
    const cases: readonly (readonly [0 | 1, string, string, (length: number) => JsonValue, number])[] = [
      [0, 'felts', 'felt*', (length) => Array.from({ length }, () => 1), 32 - 3 - 1],
      [0, 'empty structs', 'Empty*', empty, Math.floor((32 - 3 - 1) / 3)],
      [0, 'arrays of two felts', 'felt**', (length) => rows(length, 2), Math.floor((32 - 3 - 1) / 4)],
      [1, 'felts', 'felt*', (length) => Array.from({ length }, () => 1), 2 * (128 - 2 - 1) + 1],
      // Of 33 whole words, their number, the rest and its length: 36 felts.
      [1, 'strings of 1024 characters', 'string*', texts, 6],
    ];
    for (const [revision, name, type, values, most] of cases) {
      it(`${name} of revision ${revision}`, () => {
        const more = type === 'Empty*' ? { Empty: [] } : {};
        expect(limited(single(revision, type, values(most), more))).to.equal(null);
        expect(limited(single(revision, type, values(most + 1), more))).to.match(
          /^data\.message\.value(?:\[\d+\])? exceeds the limit of (?:32|128) hash operations in a message/,
        );
      });
    }
  });

  it('counts the pairs of a merkletree, halved and rounded up to the root', () => {
    const leaves = (length: number) => {
      const { types, ...data } = tree(
        Array.from({ length }, () => 1),
        { contains: 'felt' },
      );
      const { Leaf: _, ...used } = types;
      return { ...data, types: used };
    };
    // 63 + 32 + 16 + 8 + 4 + 2 + 1, and 2 of the message.
    expect(encoded(leaves(126))).to.have.length(258);
    expect(refusal(leaves(127))).to.equal('data.message.value');
  });

  // Quadratic work takes longer than the suite's timeout.
  it('is bounded, for many values, many types, long chains of types and deep arrays', () => {
    const many = Array.from({ length: 400_000 }, () => 1);
    expect(refusal(single(0, 'felt*', many))).to.equal('data.message.value');
    expect(refusal(single(1, 'u128*', many))).to.equal('data.message.value');
    expect(refusal(single(1, 'selector', 'z'.repeat(129)))).to.equal('data.message.value');
    const chain = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`A${index}`, [{ name: 'n', type: `A${index + 1}` }]]),
    );
    expect(refusal(single(0, 'A0', {}, { ...chain, A20000: [] }))).to.equal('data.types');
    const levels = Array.from({ length: 60 }, (_, level) => {
      const fields = ['A', 'B'].map((next) => ({ name: next, type: `${next}${level + 1}*` }));
      return ['A', 'B'].map((type) => [`${type}${level}`, fields] as const);
    });
    const woven = Object.fromEntries(levels.flat().filter(([type]) => type !== 'B0'));
    expect(refusal(single(0, 'A0', {}, { ...woven, A60: [], B60: [] }))).to.equal('data.types');
    const deep = Array.from({ length: 100_000 }).reduce<JsonValue>((inner) => [inner], []);
    expect(refusal(single(0, 'felt**', deep))).to.equal('data.message.value[0][0]');
    expect(refusal(single(1, 'string', 'z'.repeat(1025)))).to.equal('data.message.value');
    encode(single(1, 'A'.repeat(1_000_000), {}));
  });

  it('never throws, for any JSON in each place', () => {
    const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const object = fc.dictionary(fc.string(), json) as fc.Arbitrary<JsonObject>;
    const typeName = fc.oneof(fc.constantFrom('A', 'B', 'A*', 'felt', 'string', 'u256', 'u128*', 'bool'), fc.string());
    const fields = fc.array(fc.record({ name: fc.oneof(fc.constantFrom('x', 'y'), fc.string()), type: typeName }));
    const types = fc.dictionary(
      fc.oneof(fc.constantFrom('A', 'B'), fc.string()),
      fields,
    ) as fc.Arbitrary<TypedDataTypes>;
    const message = fc.oneof(object, fc.record({ x: json, y: json }), fc.record({ x: json }));
    fc.assert(
      fc.property(fc.constantFrom(0, 1), types, object, message, fc.boolean(), (...parts) => {
        const [revision, given, domain, givenMessage, isWhole] = parts;
        const whole = single(revision, 'felt', 1);
        const typedData = {
          domain: isWhole ? whole.domain : domain,
          types: isWhole ? { ...whole.types, ...given } : given,
          primaryType: 'A',
          message: givenMessage as JsonObject,
        };
        const encoding = encode(typedData);
        if (encoding.ok) expect(encoding.value).to.have.length(129);
        else expect(encoding.refusal.path).to.match(/^data\.(?:domain|types|primaryType|message)/);
      }),
      { numRuns: 150 },
    );
  });
});
