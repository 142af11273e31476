import { createHash } from 'node:crypto';

/*
 * Protocol buffers by hand (https://protobuf.dev/programming-guides/encoding/), and the bytes that are signed, as docs/AUTHENTICATION.md says: nothing of the service is used, so that what it does is
 * compared with the document and not with itself.
 */

/** Wire types of protocol buffers. */
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

/** A number of protobuf's variable length. */
export function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** A field of bytes, a text or a message; nothing where it is empty, as proto3 has it. */
export function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as Uint8Array);
  if (bytes.length === 0) return bytes;
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

/** A field of a double. */
export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + FIXED64), bytes]);
}

/** The value of each field of bytes, by number. */
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

/** Four bytes, the highest first. */
export function uint32(number: number): Buffer {
  return Buffer.from([number >>> 24, number >>> 16, number >>> 8, number].map((byte) => byte % 256));
}

/** SHA-256. */
export function sha256(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Bytes after their length. */
export function withLength(bytes: Uint8Array | string): Buffer {
  const all = Buffer.from(bytes as Uint8Array);
  return Buffer.concat([uint32(all.length), all]);
}
