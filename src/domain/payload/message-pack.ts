import { isJsonObject, type JsonValue } from '../model/json.ts';

const encoder = new TextEncoder();

/**
 * First bytes of forms with a length, smallest first: the byte, and the size of the length after
 * it.
 */
type Forms = {
  readonly fixed: number;
  readonly fixedMax: number;
  readonly sized: readonly (readonly [number, number])[];
};

const STRING: Forms = {
  fixed: 0xa0,
  fixedMax: 31,
  sized: [
    [0xd9, 1],
    [0xda, 2],
    [0xdb, 4],
  ],
};
const ARRAY: Forms = {
  fixed: 0x90,
  fixedMax: 15,
  sized: [
    [0xdc, 2],
    [0xdd, 4],
  ],
};
const MAP: Forms = {
  fixed: 0x80,
  fixedMax: 15,
  sized: [
    [0xde, 2],
    [0xdf, 4],
  ],
};

const UNSIGNED = [
  [0xcc, 1],
  [0xcd, 2],
  [0xce, 4],
  [0xcf, 8],
] as const;
const SIGNED = [
  [0xd0, 1],
  [0xd1, 2],
  [0xd2, 4],
  [0xd3, 8],
] as const;

/**
 * MessagePack of JSON as Python's `msgpack.packb` writes it: each value in its smallest form,
 * members in order, strings as UTF-8. Source:
 * https://github.com/msgpack/msgpack/blob/master/spec.md
 *
 * @throws RangeError for numbers other than integers within ±(2^53−1)
 * @example messagePack({ type: 'dummy', num: 100000000000 }) // 82 A4 74797065 A5 64756D6D79 A3
 *   6E756D CF 000000174876E800
 */
export function messagePack(value: JsonValue): Uint8Array {
  const bytes: number[] = [];
  write(bytes, value);
  return new Uint8Array(bytes);
}

function write(bytes: number[], value: JsonValue): void {
  if (value === null) bytes.push(0xc0);
  else if (typeof value === 'boolean') bytes.push(value ? 0xc3 : 0xc2);
  else if (typeof value === 'number') writeInteger(bytes, value);
  else if (typeof value === 'string') writeText(bytes, value);
  else if (isJsonObject(value)) writeMap(bytes, Object.entries(value));
  else {
    writeLength(bytes, ARRAY, value.length);
    for (const element of value) write(bytes, element);
  }
}

function writeMap(bytes: number[], members: readonly (readonly [string, JsonValue])[]): void {
  writeLength(bytes, MAP, members.length);
  for (const [name, member] of members) {
    writeText(bytes, name);
    write(bytes, member);
  }
}

function writeText(bytes: number[], text: string): void {
  const utf8 = encoder.encode(text);
  writeLength(bytes, STRING, utf8.length);
  for (const byte of utf8) bytes.push(byte);
}

function writeLength(bytes: number[], { fixed, fixedMax, sized }: Forms, length: number): void {
  if (length <= fixedMax) bytes.push(fixed + length);
  else writeSized(bytes, sized, length, (size) => 2 ** (8 * size));
}

function writeInteger(bytes: number[], value: number): void {
  if (!Number.isSafeInteger(value))
    throw new RangeError('Only integers within ±(2^53-1) can be encoded as MessagePack.');
  if (value >= -32 && value <= 127) bytes.push(value & 0xff);
  else if (value > 0) writeSized(bytes, UNSIGNED, value, (size) => 2 ** (8 * size));
  else writeSized(bytes, SIGNED, value, (size) => 2 ** (8 * size - 1) + 1);
}

/** Writes the first form with room; `limit` is the least magnitude that does not fit in a size. */
function writeSized(
  bytes: number[],
  forms: readonly (readonly [number, number])[],
  value: number,
  limit: (size: number) => number,
): void {
  const form = forms.find(([, size]) => Math.abs(value) < limit(size));
  if (form === undefined) throw new RangeError('Too long for MessagePack.');
  const [first, size] = form;
  bytes.push(first, ...toBigEndian(value, size));
}

/** The lowest `size` bytes in two's complement, most significant first. */
function toBigEndian(value: number, size: number): Uint8Array {
  const eight = new DataView(new ArrayBuffer(8));
  eight.setBigInt64(0, BigInt(value));
  return new Uint8Array(eight.buffer, 8 - size);
}
