import { createHash } from 'node:crypto';

/*
 * Hand-written protocol buffers (https://protobuf.dev/programming-guides/encoding/) and signed
 * bytes of docs/callers/authentication.md, independent of the service's code.
 */

/** Wire types of protocol buffers. */
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

export function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** A length-delimited field; omitted if empty (proto3). */
export function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as Uint8Array);
  if (bytes.length === 0) return bytes;
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + FIXED64), bytes]);
}

/** Length-delimited field values by number. */
export function readBytesFields(message: Buffer): ReadonlyMap<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const readVarint = (): number => {
    let [value, factor, byte] = [0, 1, 0x80];
    while (byte >= 0x80) {
      byte = message.readUInt8(at);
      at += 1;
      value += (byte % 0x80) * factor;
      factor *= 0x80;
    }
    return value;
  };
  while (at < message.length) {
    const tag = readVarint();
    if (tag % 8 !== LENGTH_DELIMITED) throw new Error(`Field ${Math.floor(tag / 8)} is of wire type ${tag % 8}.`);
    const length = readVarint();
    fields.set(Math.floor(tag / 8), message.subarray(at, at + length));
    at += length;
  }
  return fields;
}

/** Big-endian. */
export function uint32(number: number): Buffer {
  return Buffer.from([number >>> 24, number >>> 16, number >>> 8, number].map((byte) => byte % 256));
}

export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Length-prefixed bytes. */
export function withLength(bytes: Uint8Array | string): Buffer {
  const all = Buffer.from(bytes as Uint8Array);
  return Buffer.concat([uint32(all.length), all]);
}
