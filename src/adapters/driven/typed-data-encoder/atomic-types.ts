import { isAddress } from 'ethers/address';
import type { JsonValue } from '../../../domain/model/json.ts';
import { isWellFormedText } from '../../../domain/payload/signable-json.ts';
import { typedDataInteger } from '../../../domain/payload/typed-data-integer.ts';

/** A type that is no struct. */
export interface AtomicType {
  /** What its values must be, for messages. */
  readonly wanted: string;
  readonly accepts: (value: JsonValue) => boolean;
}

const BYTES = /^0x(?:[0-9A-Fa-f]{2})*$/;
const ADDRESS = /^0x[0-9A-Fa-f]{40}$/;

const INTEGER_FORMS = 'as a number, or as a string of decimal digits or of 0x and hex digits';

/** 1 to 32. */
const SIZES = Array.from({ length: 32 }, (_, index) => index + 1);

/**
 * The types that are no structs, by their names (EIP-712, "Definition of typed structured data"): bytes1 to bytes32, uint8 to uint256, int8 to int256, bool,
 * address, and the dynamic bytes and string. `uint` and `int` are none of them: there are no aliases.
 */
export const ATOMIC_TYPES: ReadonlyMap<string, AtomicType> = new Map([
  atomic('bool', 'true or false', (value) => typeof value === 'boolean'),
  atomic('string', 'a string of well-formed Unicode', (value) => typeof value === 'string' && isWellFormedText(value)),
  atomic('bytes', 'a string of 0x and two hex digits for each byte', (value) => matches(value, BYTES)),
  atomic(
    'address',
    'a string of 0x and 40 hex digits, in one case or with the right checksum (EIP-55)',
    (value) => matches(value, ADDRESS) && isAddress(value),
  ),
  ...SIZES.map(fixedBytes),
  ...SIZES.map((size) => integer(`uint${size * 8}`, 0n, 2n ** BigInt(size * 8), `from 0 to 2^${size * 8}-1`)),
  ...SIZES.map((size) => {
    const half = 2n ** BigInt(size * 8 - 1);
    return integer(`int${size * 8}`, -half, half, `from -2^${size * 8 - 1} to 2^${size * 8 - 1}-1`);
  }),
]);

function fixedBytes(size: number): readonly [string, AtomicType] {
  const form = new RegExp(`^0x[0-9A-Fa-f]{${size * 2}}$`);
  return atomic(`bytes${size}`, `a string of 0x and ${size * 2} hex digits`, (value) => matches(value, form));
}

function integer(name: string, first: bigint, end: bigint, range: string): readonly [string, AtomicType] {
  return atomic(name, `an integer ${range}, ${INTEGER_FORMS}`, (value) => {
    const number = typedDataInteger(value);
    return number !== undefined && number >= first && number < end;
  });
}

function atomic(name: string, wanted: string, accepts: AtomicType['accepts']): readonly [string, AtomicType] {
  return [name, { wanted: `must be ${wanted}`, accepts }];
}

function matches(value: JsonValue, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}
