import type { JsonValue } from '../../../../../src/domain/model/json.ts';
import type { TypedData, TypedDataTypes } from '../../../../../src/domain/model/payload.ts';

/**
 * EIP-712, "Example": https://github.com/ethereum/EIPs/blob/master/assets/eip-712/Example.js has
 * these hashes.
 */
export const MAIL: TypedData = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
};

/** What is signed of {@link MAIL}, in hex. */
export const MAIL_ENCODED =
  '1901f2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f' +
  'c52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e';

/** A message of one member, `value`. */
export function single(type: string, value: JsonValue, types: TypedDataTypes = {}): TypedData {
  const own = { Message: [{ name: 'value', type }] };
  return { domain: { name: 'Test' }, types: { ...types, ...own }, primaryType: 'Message', message: { value } };
}

/** Struct types of an order with legs. */
export const ORDER_TYPES: TypedDataTypes = {
  Order: [
    { name: 'price', type: 'uint128' },
    { name: 'legs', type: 'Leg[]' },
  ],
  Leg: [{ name: 'side', type: 'bool' }],
};

/** Values in forms that a type has, all of them encoded; a property test has others. */
export const ACCEPTED: readonly (readonly [string, readonly JsonValue[]])[] = [
  ['uint8', [-0, '0', '255', '0x0', '0xFF', '0x00ff']],
  ['int8', [-128, 127, '-128', '0x7f']],
  ['bytes', ['0x', '0xAb']],
  ['address', ['0xCD2A3D9F938E13CD947EC05ABC7FE734DF8DD826', '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826']],
  ['bool[][2]', [[[], [true, true, true]]]],
];

/** Values that are none of their type, whatever a lenient reader makes of them. */
export const REFUSED: readonly (readonly [string, readonly JsonValue[]])[] = [
  ['uint8', [256, -1, 0.5, '256', '-1', '', ' 1', '+1', '01', '1.0', '1e2', '0x', '0x100', '0b1', null, true, []]],
  ['int8', [128, -129, '128', '-129', '-0', '0x80']],
  ['uint64', [2 ** 53, '9'.repeat(100_000), `0x${'0'.repeat(65)}`]],
  ['uint256', [String(2n ** 256n)]],
  ['int256', [String(2n ** 255n), String(-(2n ** 255n) - 1n)]],
  ['bool', [0, 'true', null]],
  ['string', [1, null, '\ud800', '\udc00a']],
  ['bytes', ['', 'ab', '0xa', '0xzz', '0X00', [1]]],
  ['bytes2', ['0x00', '0x000000', '0xzzzz', 0]],
  ['address', ['0xcD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', 'CD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826']],
  ['address', ['XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36', 'vitalik.eth', '', 0, null]],
  ['bool[]', [{}, 'x', null, { length: 0 }]],
  ['bool[2]', [[true], [true, true, true]]],
  ['bool[2][]', [[true, true], [[true]]]],
];

/** Types that EIP-712 does not have, or that readers disagree on. */
export const NO_TYPES = [
  ...[
    'uint',
    'uint7',
    'uint264',
    'uint0',
    'uint08',
    'bytes0',
    'bytes33',
    'byte',
    'fixed',
    'Bool',
    '',
    ' bool',
    'bool[',
  ],
  ...['bool[0]', 'bool[01]', '[]', 'Unknown[]', 'bool,uint8', 'bool)', 'constructor', '__proto__', 'EIP712Domain'],
  `bool${'[]'.repeat(17)}`,
];

/** Names that no member may have. */
export const NO_FIELD_NAMES = ['', ' a', 'a ', 'a  b', 'a\tb', 'a,b', 'a)', '1a', 'é', 'a:b', '__proto__'];

/** Names that no struct type may have. */
export const NO_STRUCT_NAMES = [
  ...['', 'A B', 'A(', 'A,', '1A', 'É', 'A[]', 'A[2]'],
  ...['bool', 'address', 'string', 'bytes', 'bytes32', 'bytes33', 'byte', 'uint', 'uint7', 'uint256', 'int8'],
  ...['fixed', 'ufixed128x18', 'function'],
];
