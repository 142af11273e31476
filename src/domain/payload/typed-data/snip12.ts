import { type JsonObject, ownMember } from '../../model/json.ts';
import type { Payload, SignedValue, TypedDataField, TypedDataTypes } from '../../model/payload.ts';
import { decodeHex, encodeHex } from '../../model/text/byte-encodings.ts';
import type { PayloadTools } from '../payload-outcome.ts';
import { toSignedInteger } from '../signed/signed-value.ts';
import { typedDataInteger } from './eip712.ts';
import { FELT_PRIME, FELT_REQUIREMENT, MESSAGE_PREFIX, parseFelt, toShortString } from './starknet.ts';
import {
  checkNesting,
  checkPinnedDomain,
  encodeStruct,
  fail,
  isSameList,
  type LeafType,
  MERKLE_TREE,
  readTypedData,
  resolveTypes,
  type TypedDataScheme,
} from './walker.ts';

const encoder = new TextEncoder();

/*
 * A felt may be sent as text or as a number, so policies see it by its value alone, never by its
 * spelling: `message` has its number, `texts` its short string, where it is one. A domain has words
 * and small numbers: the number of a word is never meant. Addresses are lowercase hex without
 * leading zeros; selectors are not shown.
 */
const VIEWS = ['domain', 'message', 'texts'];

/** Text that no number is meant by: at least two characters, a letter first. */
const WORD = /^[A-Za-z]./;

const INTEGER_FORMS = 'as a number, or as a string of decimal digits or of 0x and hex digits';

const FELT: LeafType<bigint> = {
  requirement: FELT_REQUIREMENT,
  encode: (value) => {
    const felt = parseFelt(value);
    if (felt === undefined) return undefined;
    const [message, texts] = [toSignedInteger(felt), toShortString(felt)];
    return {
      content: felt,
      views: { domain: texts !== undefined && WORD.test(texts) ? texts : message, message, texts },
    };
  },
};

const BOOL: LeafType<bigint> = {
  requirement: 'must be true or false',
  encode: (value) => (typeof value === 'boolean' ? { content: BigInt(value), views: { message: value } } : undefined),
};

const SELECTOR: LeafType<bigint> = {
  requirement:
    'must be the name of a function, an identifier of at most 128 characters, or its selector, below 2^250, as decimal digits or 0x and hex digits',
  encode: (value, tools) => {
    if (typeof value !== 'string') return undefined;
    const isName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value);
    const content = isName ? starknetKeccak(value, tools) : typedDataInteger(value);
    return content !== undefined && content >= 0n && content < 2n ** 250n ? { content, views: {} } : undefined;
  },
};

const LONG_STRING: LeafType<bigint> = {
  requirement: 'must be a string of at most 1024 ASCII characters',
  encode: (value) =>
    typeof value === 'string' && /^\p{ASCII}{0,1024}$/u.test(value)
      ? { content: toByteArray(value), views: { message: value, texts: value } }
      : undefined,
};

/** Negative numbers are congruent felts, as in Cairo. */
function integerLeaf(
  first: bigint,
  end: bigint,
  range: string,
  show: (number: bigint) => SignedValue = toSignedInteger,
): LeafType<bigint> {
  return {
    requirement: `must be an integer ${range}, ${INTEGER_FORMS}`,
    encode: (value) => {
      const number = typedDataInteger(value);
      if (number === undefined || number < first || number >= end) return undefined;
      return { content: number < 0n ? number + FELT_PRIME : number, views: { message: show(number) } };
    },
  };
}

const ADDRESS = integerLeaf(0n, FELT_PRIME, 'from 0 to 2^251 + 17*2^192', (number) => `0x${number.toString(16)}`);
const U128 = integerLeaf(0n, 2n ** 128n, 'from 0 to 2^128-1');
const I128 = integerLeaf(-(2n ** 127n), 2n ** 127n, 'from -2^127 to 2^127-1');

const WORD_BYTES = 31;

/** Cairo's ByteArray: the number of whole words of 31 bytes, these, the rest and its length. */
function toByteArray(text: string): readonly bigint[] {
  const whole = Math.floor(text.length / WORD_BYTES);
  const words = Array.from({ length: whole + 1 }, (_, word) =>
    BigInt(`0x0${encodeHex(encoder.encode(text.substr(word * WORD_BYTES, WORD_BYTES)))}`),
  );
  return [BigInt(whole), ...words, BigInt(text.length % WORD_BYTES)];
}

/** The low 250 bits of Keccak-256 over UTF-8 ("starknet_keccak"). */
function starknetKeccak(text: string, { hasher }: PayloadTools): bigint {
  return BigInt.asUintN(250, BigInt(`0x${encodeHex(hasher.digest('keccak256', encoder.encode(text)))}`));
}

/** Types by revision (SNIP-12, "How to work with each type"). */
const LEAVES: readonly [TypedDataScheme<bigint>['leaves'], TypedDataScheme<bigint>['leaves']] = [
  new Map(Object.entries({ felt: FELT, string: FELT, bool: BOOL, selector: SELECTOR })),
  new Map(
    Object.entries({
      ...{ felt: FELT, shortstring: FELT, string: LONG_STRING, bool: BOOL, selector: SELECTOR },
      ...{ u128: U128, i128: I128, timestamp: U128, ContractAddress: ADDRESS, ClassHash: ADDRESS },
    }),
  ),
];

/** Struct types that revision 1 defines. */
const PRESETS: TypedDataTypes = {
  u256: [
    { name: 'low', type: 'u128' },
    { name: 'high', type: 'u128' },
  ],
  TokenAmount: [
    { name: 'token_address', type: 'ContractAddress' },
    { name: 'amount', type: 'u256' },
  ],
  NftId: [
    { name: 'collection_address', type: 'ContractAddress' },
    { name: 'token_id', type: 'u256' },
  ],
};

/** Names that need no escaping; revision 1 puts them in quotation marks and so allows spaces. */
const NAMES = [
  /^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]{0,127}$/,
  /^(?!__proto__$)[A-Za-z0-9_$](?:[A-Za-z0-9_$ .:-]{0,126}[A-Za-z0-9_$.:-])?$/,
] as const;

const NAME_RULES = [
  'must be an identifier: letters, digits, _ and $',
  'must be letters, digits, spaces inside and any of _ $ . : -',
] as const;

/**
 * Hash operations that one message may take, some 50 ms of the event loop. Requests need fewer: in
 * revision 0 a modified order of Paradex 9 and two calls of SNIP-9 with three arguments each 31; in
 * revision 1 a block trade of Paradex 14 for each market, ten calls with eight arguments each 90.
 */
const MAX_OPERATIONS = [32, 128] as const;

/** A type and up to 4 asterisks, each an array. */
const FIELD_TYPE = /^([^*]*)(\*{0,4})$/;

function createScheme(revision: 0 | 1): TypedDataScheme<bigint> {
  const leaves = LEAVES[revision];
  const presets = revision === 0 ? {} : PRESETS;
  const quote = (text: string) => (revision === 0 ? text : `"${text}"`);
  return {
    leaves,
    presets,
    views: VIEWS,
    maxTypeText: 4096,
    memberName: NAMES[revision],
    memberNameRule: NAME_RULES[revision],
    typeRule: `must be a type of revision ${revision} of SNIP-12 or one of data.types, with up to 4 asterisks for arrays`,
    findNameIssue: (name) => {
      const isReserved = leaves.has(name) || Object.hasOwn(presets, name) || name === 'enum' || name === MERKLE_TREE;
      if (isReserved) return 'must not have the name of a type of SNIP-12';
      return NAMES[revision].test(name) ? undefined : NAME_RULES[revision];
    },
    parseType: ({ type, contains }) => {
      if (type === MERKLE_TREE && contains !== undefined) return { base: contains, lengths: ['tree'] };
      const [, base = '', asterisks = ''] = FIELD_TYPE.exec(type) ?? [];
      if (base === 'enum') return 'must not be enum: it is not supported';
      if (base === MERKLE_TREE) return 'must have the type of its leaves beside it, as contains, and no asterisks';
      return { base, lengths: Array.from(asterisks, () => null) };
    },
    describe: (name, fields) => {
      const members = fields.map((field) => `${quote(field.name)}:${quote(field.type)}`);
      return `${quote(name)}(${members.join(',')})`;
    },
    hashText: starknetKeccak,
    hash: (felts, { starknet }, length) =>
      length === 'tree'
        ? hashTree(felts, (...pair) => starknet.hashPair(revision, ...pair))
        : starknet.hash(revision, felts),
    startLimit: () => {
      let operations = 0;
      return (_value, felts, length) => {
        if (felts === undefined) return undefined;
        if (length === 'tree') operations += countPairs(felts);
        // Poseidon's permutation absorbs two elements; one more ends the list.
        else operations += revision === 0 ? felts + 1 : Math.floor(felts / 2) + 1;
        if (operations <= MAX_OPERATIONS[revision]) return undefined;
        return `exceeds the limit of ${MAX_OPERATIONS[revision]} hash operations in a message of this revision`;
      };
    },
  };
}

/** The root of a Merkle tree: pairs are hashed in ascending order, a last one alone with zero. */
function hashTree(nodes: readonly bigint[], hashPair: (first: bigint, second: bigint) => bigint): bigint {
  let level = nodes;
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
      const [left = 0n, right = 0n] = [level[2 * index], level[2 * index + 1]];
      return left < right ? hashPair(left, right) : hashPair(right, left);
    });
  }
  return level[0] ?? 0n;
}

function countPairs(leaves: number): number {
  let pairs = 0;
  for (let nodes = leaves; nodes > 1; pairs += nodes) nodes = Math.ceil(nodes / 2);
  return pairs;
}

const SCHEMES = [createScheme(0), createScheme(1)] as const;

/** The domain's type by revision (SNIP-12, "Domain separator"). */
const DOMAIN_TYPES = ['StarkNetDomain', 'StarknetDomain'] as const;

/** Domain members of revision 0, in any order, as venues declare; one of the names of the chain. */
const MEMBERS_OF_REVISION_0 = ['name', 'version', 'chainId', 'chain_id', 'revision'];

/** The domain's fields of revision 1, in this order. */
const DOMAIN_OF_REVISION_1 = ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' }));

/** 0 hashes with Pedersen, 1 with Poseidon. */
function readRevision(domain: JsonObject): 0 | 1 {
  const revision = ownMember(domain, 'revision');
  const felt = revision === undefined ? 0n : parseFelt(revision);
  if (felt === 0n || felt === 1n) return felt === 0n ? 0 : 1;
  return fail(['domain', 'revision'], 'must be 0, 1 or absent, which is 0: a revision of SNIP-12');
}

/** {@link fail} for a domain type other than SNIP-12 allows. */
function checkDomainType(revision: 0 | 1, types: TypedDataTypes): void {
  const name = DOMAIN_TYPES[revision];
  const fields = types[name] ?? [];
  const isFelt = ({ name: member, type }: TypedDataField) =>
    MEMBERS_OF_REVISION_0.includes(member) && (type === 'felt' || type === 'string');
  if (revision === 0 && !fields.every(isFelt)) {
    fail(['types', name], 'must only have the felts name, version, chainId (or chain_id) and revision');
  }
  if (revision === 1 && !isSameList(fields, DOMAIN_OF_REVISION_1)) {
    fail(
      ['types', name],
      `must list ${DOMAIN_OF_REVISION_1.map((field) => field.name).join(', ')}, each a shortstring, in this order`,
    );
  }
}

/**
 * Reads and encodes SNIP-12 typed data in the form of starknet.js: the revision, one byte, and the
 * four felts whose hash is signed (SNIP-12, "Specification"): {@link MESSAGE_PREFIX}, the domain's
 * hash, the account and the message's hash, 32 bytes big-endian each; 129 bytes. {@link fail} for
 * whatever would have to be guessed, for enums, and for types that the message does not use.
 *
 * @param account the StarkNet address of the account
 * @param pinned members that the domain must have
 */
export function encodeStarknetData(
  data: JsonObject,
  account: bigint,
  pinned: JsonObject,
  tools: PayloadTools,
): Omit<Payload, 'parts'> {
  const remark = ', and contains if it is a merkletree; enum is not supported';
  const { domain, types, primaryType, message } = readTypedData(data, 'domain of SNIP-12', remark);
  const revision = readRevision(domain);
  checkPinnedDomain(domain, pinned, (_name, wanted, given) => parseFelt(given) === parseFelt(wanted));
  const domainType = DOMAIN_TYPES[revision];
  if (!Object.hasOwn(types, domainType)) {
    fail(['types'], `must have the type ${domainType} in revision ${revision} of SNIP-12`);
  }
  if (primaryType === domainType || !Object.hasOwn(types, primaryType)) {
    fail(['primaryType'], `must be one of data.types, other than ${domainType}`);
  }
  const scheme = SCHEMES[revision];
  const structs = resolveTypes(scheme, types, [domainType, primaryType]);
  const unused = Object.keys(types).find((name) => !structs.has(name));
  if (unused !== undefined) fail(['types', unused], 'must be used by the primary type; SNIP-12 excludes other types');
  checkNesting(structs, primaryType);
  checkDomainType(revision, types);
  const encodedDomain = encodeStruct(scheme, structs, tools, 'domain', domain, domainType);
  const encoded = encodeStruct(scheme, structs, tools, 'message', message, primaryType);
  const felts = [MESSAGE_PREFIX, encodedDomain.word, account, encoded.word];
  const text = `0${revision}${felts.map((felt) => felt.toString(16).padStart(64, '0')).join('')}`;
  const fields = {
    domain: encodedDomain.views['domain'] ?? null,
    primaryType,
    message: encoded.views['message'] ?? null,
    texts: encoded.views['texts'] ?? null,
  };
  return { bytes: decodeHex(text) ?? new Uint8Array(), text, encoding: 'hex', content: { kind: 'typed-data', fields } };
}
