import type { ProtobufMessage, ProtobufValue } from '../model/payload.ts';

/** Scalar types; `enum` and `int64` without negative values. */
type ScalarType = 'string' | 'bytes' | 'bool' | 'enum' | 'int64' | 'uint32' | 'uint64' | 'fixed32';

/** A field of a message type. */
export interface FieldSchema {
  /** In lowerCamelCase, as in the JSON form of the message. */
  readonly name: string;
  /** A nested message's fields, or a scalar type. */
  readonly type: ScalarType | MessageSchema;
  /** Not for numbers, which would be packed. */
  readonly repeated?: true;
  /** Name of its oneof: at most one of the fields may be present, also with its default value. */
  readonly oneof?: string;
}

/** Fields of a message type, by number. */
export type MessageSchema = ReadonlyMap<number, FieldSchema>;

/** Bytes are not the canonical encoding of a message. The message is a clause with the place. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** Wire types (protobuf.dev, "Message Structure"). */
const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const WIRE_TYPES: { readonly [Name in ScalarType]: number } = {
  string: LENGTH_DELIMITED,
  bytes: LENGTH_DELIMITED,
  bool: VARINT,
  enum: VARINT,
  int64: VARINT,
  uint32: VARINT,
  uint64: VARINT,
  fixed32: FIXED32,
};

const LIMITS = {
  bool: 1n,
  enum: 2n ** 31n - 1n,
  int64: 2n ** 63n - 1n,
  uint32: 2n ** 32n - 1n,
  uint64: 2n ** 64n - 1n,
} as const;

const FIXED32_BYTES = 4;
/** Of a message and those in it: each takes microseconds of the event loop. */
const MAX_FIELDS = 8192;

/** Of a tag or a length, so that it is exact as a number. */
const MAX_SHORT_VARINT = 2n ** 32n - 1n;

/** How many more fields may be read. */
interface Fields {
  left: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the canonical encoding of a proto3 message (ADR 027 of the Cosmos SDK): fields in
 * ascending order and known, each once unless repeated, shortest varints, UTF-8 text, no default
 * values outside a oneof. Encoding the result therefore gives the same bytes. Absent scalars have
 * their default value; absent messages are absent.
 *
 * @param path for messages: `authInfoBytes`; empty: the outermost message
 * @throws ProtobufError for other bytes, and for more than {@link MAX_FIELDS}
 */
export function readProtobuf(bytes: Uint8Array, schema: MessageSchema, path = ''): ProtobufMessage {
  return readMessage(bytes, schema, path, { left: MAX_FIELDS });
}

function readMessage(bytes: Uint8Array, schema: MessageSchema, path: string, fields: Fields): ProtobufMessage {
  const input = new WireInput(bytes);
  const message = new Map<string, ProtobufValue>();
  const oneofs = new Set<string>();
  let last = 0;
  while (!input.isAtEnd) {
    fields.left -= 1;
    if (fields.left < 0) throw new ProtobufError(`${place(path)} has more than ${MAX_FIELDS} fields`);
    const tag = input.readLength(path);
    const number = Math.floor(tag / 8);
    const field = schema.get(number);
    if (field === undefined) throw new ProtobufError(`${place(path)} has an unknown field, number ${number}`);
    const fieldPath = join(path, field.name);
    if (number < last) throw new ProtobufError(`${fieldPath} is out of order`);
    if (number === last && field.repeated === undefined) throw new ProtobufError(`${fieldPath} is repeated`);
    if (field.oneof !== undefined) {
      if (oneofs.has(field.oneof)) throw new ProtobufError(`${fieldPath} excludes another present field`);
      oneofs.add(field.oneof);
    }
    last = number;
    const wireType = typeof field.type === 'string' ? WIRE_TYPES[field.type] : LENGTH_DELIMITED;
    if (tag % 8 !== wireType) throw new ProtobufError(`${fieldPath} has the wrong wire type`);
    addValue(message, field, fieldPath, input, fields);
  }
  for (const field of schema.values()) {
    if (message.has(field.name)) continue;
    const value = field.repeated ? [] : defaultValue(field);
    if (value !== undefined) message.set(field.name, value);
  }
  return message;
}

function addValue(
  message: Map<string, ProtobufValue>,
  field: FieldSchema,
  path: string,
  input: WireInput,
  fields: Fields,
): void {
  const { name, type, repeated, oneof } = field;
  const before = message.get(name);
  const list = Array.isArray(before) ? before : [];
  const itemPath = repeated ? `${path}[${list.length}]` : path;
  const value =
    typeof type === 'string' ? readScalar(type, itemPath, input) : readNested(type, itemPath, input, fields);
  if (repeated) {
    message.set(name, list);
    list.push(value);
    return;
  }
  if (oneof === undefined && isDefault(value))
    throw new ProtobufError(`${path} must be absent: it is the default value`);
  message.set(name, value);
}

function readNested(schema: MessageSchema, path: string, input: WireInput, fields: Fields): ProtobufMessage {
  return readMessage(input.readBytes(path), schema, path, fields);
}

function readScalar(type: ScalarType, path: string, input: WireInput): ProtobufValue {
  if (type === 'bytes') return input.readBytes(path);
  if (type === 'string') return decodeText(input.readBytes(path), path);
  if (type === 'fixed32') return input.readFixed32(path);
  const number = input.readVarint(LIMITS[type], path);
  return type === 'bool' ? number === 1n : number;
}

function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProtobufError(`${path} is not UTF-8`);
  }
}

function defaultValue({ type }: FieldSchema): ProtobufValue | undefined {
  if (typeof type !== 'string') return undefined;
  if (type === 'string') return '';
  if (type === 'bytes') return new Uint8Array();
  return type === 'bool' ? false : 0n;
}

function isDefault(value: ProtobufValue): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  return value === '' || value === 0n || value === false;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function place(path: string): string {
  return path === '' ? 'it' : path;
}

/** The rest of a message's bytes. */
class WireInput {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  readVarint(max: bigint, path: string): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw truncated(path);
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte === 0 && shift > 0n)
        throw new ProtobufError(`${place(path)} has a number that is not the shortest form`);
      if (value > max) break;
      return value;
    }
    throw new ProtobufError(`${place(path)} has a number that is too large`);
  }

  readLength(path: string): number {
    return Number(this.readVarint(MAX_SHORT_VARINT, path));
  }

  readBytes(path: string): Uint8Array {
    return this.#take(this.readLength(path), path);
  }

  readFixed32(path: string): bigint {
    const [first = 0, second = 0, third = 0, fourth = 0] = this.#take(FIXED32_BYTES, path);
    return BigInt(first + second * 2 ** 8 + third * 2 ** 16 + fourth * 2 ** 24);
  }

  #take(length: number, path: string): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw truncated(path);
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

function truncated(path: string): ProtobufError {
  return new ProtobufError(`${place(path)} is truncated`);
}
