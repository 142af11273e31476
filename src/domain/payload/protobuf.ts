import { concatBytes } from '@noble/hashes/utils.js';
import { accepted, type Outcome, refused } from '../model/refusal.ts';

/** Values of the scalar types in a message; `enum` and `int64` are never negative here. */
interface ScalarValues {
  readonly string: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly enum: bigint;
  readonly int64: bigint;
  readonly uint32: bigint;
  readonly uint64: bigint;
  readonly fixed32: bigint;
  readonly double: number;
}

/** A field of a message type. */
interface FieldSchema {
  readonly number: number;
  /** A nested message's fields, or a scalar type. */
  readonly type: keyof ScalarValues | MessageSchema;
  /** Not for numbers, which would be packed. */
  readonly repeated?: true;
  /** Name of its oneof: at most one of the fields may be present, also with its default value. */
  readonly oneof?: string;
}

/**
 * Fields of a message type by name, in ascending order of their numbers. Names are in
 * lowerCamelCase, as in the JSON form of the message.
 */
export interface MessageSchema {
  readonly [name: string]: FieldSchema;
}

type ValueOf<Type> = Type extends keyof ScalarValues
  ? ScalarValues[Type]
  : Type extends MessageSchema
    ? MessageOf<Type>
    : never;

/** A decoded message: absent scalars have their default value, absent messages are undefined. */
export type MessageOf<Schema extends MessageSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends { readonly repeated: true }
    ? readonly ValueOf<Schema[Name]['type']>[]
    : ValueOf<Schema[Name]['type']> | (Schema[Name]['type'] extends MessageSchema ? undefined : never);
};

/** A decoded field of any type. */
export type ProtobufValue = ScalarValues[keyof ScalarValues] | ProtobufMessage | readonly ProtobufValue[];

/** A decoded message of any type. */
export type ProtobufMessage = { readonly [name: string]: ProtobufValue | undefined };

/** Wire types (protobuf.dev, "Message Structure"). */
const [VARINT, FIXED64, LENGTH_DELIMITED, FIXED32] = [0, 1, 2, 5];

/** Wire type, default value, and the limit of a varint. */
const SCALARS = {
  string: { wireType: LENGTH_DELIMITED, zero: '' },
  bytes: { wireType: LENGTH_DELIMITED, zero: new Uint8Array() },
  bool: { wireType: VARINT, zero: false, max: 1n },
  enum: { wireType: VARINT, zero: 0n, max: 2n ** 31n - 1n },
  int64: { wireType: VARINT, zero: 0n, max: 2n ** 63n - 1n },
  uint32: { wireType: VARINT, zero: 0n, max: 2n ** 32n - 1n },
  uint64: { wireType: VARINT, zero: 0n, max: 2n ** 64n - 1n },
  fixed32: { wireType: FIXED32, zero: 0n },
  double: { wireType: FIXED64, zero: 0 },
} as const;

/** Of a message and those in it: each takes microseconds of the event loop. */
const MAX_FIELDS = 8192;

/** Of a tag or a length, so that it is exact as a number. */
const MAX_SHORT_VARINT = 2n ** 32n - 1n;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the canonical encoding of a proto3 message (ADR 027 of the Cosmos SDK): fields in
 * ascending order and known, each once unless repeated, shortest varints, UTF-8 text, no default
 * values outside a oneof. Encoding the result therefore gives the same bytes. Refused with a clause
 * that names the place, also for more than {@link MAX_FIELDS}.
 *
 * @param path for the refusal: `authInfoBytes`; empty: the outermost message
 */
export function decodeProtobuf<Schema extends MessageSchema>(
  schema: Schema,
  bytes: Uint8Array,
  path = '',
): Outcome<MessageOf<Schema>, string> {
  try {
    return accepted(new MessageReader(bytes, path).read(schema, { left: MAX_FIELDS }) as MessageOf<Schema>);
  } catch (error) {
    if (error instanceof ProtobufError) return refused(error.message);
    throw error;
  }
}

class ProtobufError extends Error {}

class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #path: string;
  /** What is read now. */
  #place: string;
  #at = 0;

  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes;
    this.#path = path;
    this.#place = path;
  }

  /** @param fields how many more may be read */
  read(schema: MessageSchema, fields: { left: number }): ProtobufMessage {
    const known = Object.entries(schema);
    const message: Record<string, ProtobufValue> = {};
    const oneofs = new Set<string>();
    let last = 0;
    while (this.#at < this.#bytes.length) {
      this.#place = this.#path;
      fields.left -= 1;
      if (fields.left < 0) throw this.#error(`has more than ${MAX_FIELDS} fields`);
      const tag = this.#readLength();
      const number = Math.floor(tag / 8);
      const found = known.find(([, field]) => field.number === number);
      if (found === undefined) throw this.#error(`has an unknown field, number ${number}`);
      const [name, { type, repeated, oneof }] = found;
      this.#place = this.#path === '' ? name : `${this.#path}.${name}`;
      if (number < last) throw this.#error('is out of order');
      if (number === last && !repeated) throw this.#error('is repeated');
      if (oneof && oneofs.size === oneofs.add(oneof).size) throw this.#error('excludes another present field');
      if (tag % 8 !== wireType(type)) throw this.#error('has the wrong wire type');
      const items = repeated && ((message[name] ?? []) as ProtobufValue[]);
      if (items) this.#place += `[${items.length}]`;
      const value = this.#readValue(type, fields);
      if (!items && !oneof && isDefault(value)) throw this.#error('must be absent: it is the default value');
      items?.push(value);
      message[name] = items ?? value;
      last = number;
    }
    for (const [name, { type, repeated }] of known) {
      if (repeated) message[name] ??= [];
      else if (typeof type === 'string') message[name] ??= SCALARS[type].zero;
    }
    return message;
  }

  #readValue(type: FieldSchema['type'], fields: { left: number }): ProtobufValue {
    if (typeof type !== 'string') return new MessageReader(this.#readBytes(), this.#place).read(type, fields);
    if (type === 'bytes') return this.#readBytes();
    if (type === 'string') return this.#readText();
    if (type === 'fixed32') return BigInt(toView(this.#take(4)).getUint32(0, true));
    if (type === 'double') return toView(this.#take(8)).getFloat64(0, true);
    const number = this.#readVarint(SCALARS[type].max);
    return type === 'bool' ? number === 1n : number;
  }

  #readText(): string {
    const bytes = this.#readBytes();
    try {
      return decoder.decode(bytes);
    } catch {
      throw this.#error('is not UTF-8');
    }
  }

  #readVarint(max: bigint): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const [byte = 0] = this.#take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte === 0 && shift > 0n) throw this.#error('has a number that is not the shortest form');
      if (value > max) break;
      return value;
    }
    throw this.#error('has a number that is too large');
  }

  #readLength(): number {
    return Number(this.#readVarint(MAX_SHORT_VARINT));
  }

  #readBytes(): Uint8Array {
    return this.#take(this.#readLength());
  }

  #take(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw this.#error('is truncated');
    this.#at += length;
    return bytes;
  }

  #error(clause: string): ProtobufError {
    return new ProtobufError(`${this.#place === '' ? 'it' : this.#place} ${clause}`);
  }
}

function toView({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

function wireType(type: FieldSchema['type']): number {
  return typeof type === 'string' ? SCALARS[type].wireType : LENGTH_DELIMITED;
}

function isDefault(value: ProtobufValue): boolean {
  return value instanceof Uint8Array ? value.length === 0 : !value;
}

/** The canonical encoding of a message; absent fields and default values are left out. */
export function encodeProtobuf<Schema extends MessageSchema>(
  schema: Schema,
  message: Partial<MessageOf<Schema>>,
): Uint8Array {
  return writeMessage(schema, message);
}

function writeMessage(schema: MessageSchema, message: ProtobufMessage): Uint8Array {
  const parts = Object.entries(schema).flatMap(([name, { number, type }]) => {
    const value = message[name];
    const items = Array.isArray(value) ? value : value === undefined || isDefault(value) ? [] : [value];
    return items.flatMap((item) => [toVarint(BigInt(number * 8 + wireType(type))), ...writeValue(type, item)]);
  });
  return concatBytes(...parts);
}

function writeValue(type: FieldSchema['type'], value: ProtobufValue): readonly Uint8Array[] {
  const number = new Uint8Array(type === 'double' ? 8 : 4);
  if (type === 'double') toView(number).setFloat64(0, Number(value), true);
  if (type === 'fixed32') toView(number).setUint32(0, Number(value), true);
  if (type === 'double' || type === 'fixed32') return [number];
  if (typeof value === 'bigint' || typeof value === 'boolean') return [toVarint(BigInt(value))];
  const isMessage = typeof type !== 'string';
  const bytes = isMessage ? writeMessage(type, value as ProtobufMessage) : toBytes(value as string | Uint8Array);
  return [toVarint(BigInt(bytes.length)), bytes];
}

function toBytes(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? encoder.encode(value) : value;
}

/** Little-endian groups of seven bits (protobuf.dev, "Base 128 Varints"). */
function toVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}
