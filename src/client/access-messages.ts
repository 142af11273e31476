/*
 * The specification's proto3 messages in their canonical encoding (docs/AUTHENTICATION.md, What is sent): fields in the order of their numbers, each once, lengths in as few bytes as they need, nothing else.
 */

const BYTES = 2;
const DOUBLE = 1;

/** What a token says, and who signed it. */
export interface AccessToken {
  readonly username: Buffer;
  readonly publicKey: Buffer;
  /** ASCII, ISO 8601 UTC. */
  readonly expirationTime: Buffer;
  readonly signature: Buffer;
}

/** What a client says of itself with a request. */
export interface RequestClaims {
  /** The client's token, encoded. */
  readonly token: Buffer;
  readonly servicePublicKey: Buffer;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly nonce: Buffer;
}

/** What the service says of itself with an answer. */
export interface ResponseAuthInfo {
  /** The service's token, encoded. */
  readonly token: Buffer;
  readonly nonce: Buffer;
  readonly signature: Buffer;
}

/** Fields 1 to 3 of a token: what its authority signs. */
export function encodeTokenClaims({ username, publicKey, expirationTime }: Omit<AccessToken, 'signature'>): Buffer {
  return Buffer.concat([bytesField(1, username), bytesField(2, publicKey), bytesField(3, expirationTime)]);
}

/** Fields 1 to 4 of a RequestAuthInfo: what the client signs. */
export function encodeRequestClaims({ token, servicePublicKey, time, nonce }: RequestClaims): Buffer {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(time);
  return Buffer.concat([
    bytesField(1, token),
    bytesField(2, servicePublicKey),
    varint(3 * 8 + DOUBLE),
    double,
    bytesField(4, nonce),
  ]);
}

/** A RequestAuthInfo of its encoded claims and the signature over them. */
export function encodeRequestAuthInfo(claims: Buffer, signature: Buffer): Buffer {
  return Buffer.concat([claims, bytesField(5, signature)]);
}

/** Fields 1 and 2 of a ResponseAuthInfo: what the service signs. */
export function encodeResponseClaims({ token, nonce }: Pick<ResponseAuthInfo, 'token' | 'nonce'>): Buffer {
  return Buffer.concat([bytesField(1, token), bytesField(2, nonce)]);
}

/** Reads a token; null where the bytes are not the canonical encoding of one. */
export function decodeToken(bytes: Buffer): AccessToken | null {
  const [username, publicKey, expirationTime, signature] = readBytesFields(bytes, 4) ?? [];
  if (!username || !publicKey || !expirationTime || !signature) return null;
  return { username, publicKey, expirationTime, signature };
}

/** Reads a ResponseAuthInfo; null where the bytes are not the canonical encoding of one. */
export function decodeResponseAuthInfo(bytes: Buffer): ResponseAuthInfo | null {
  const [token, nonce, signature] = readBytesFields(bytes, 3) ?? [];
  return token && nonce && signature ? { token, nonce, signature } : null;
}

/** The values of fields 1 to `count`, all of bytes and none empty; null where the message is anything else, or is not as it would be written here. */
function readBytesFields(message: Buffer, count: number): readonly Buffer[] | null {
  const values: Buffer[] = [];
  let at = 0;
  for (let number = 1; number <= count; number += 1) {
    if (message[at] !== number * 8 + BYTES) return null;
    const length = readVarint(message, at + 1);
    if (length === null || length.value === 0 || length.end + length.value > message.length) return null;
    values.push(message.subarray(length.end, length.end + length.value));
    at = length.end + length.value;
  }
  const written = Buffer.concat(values.map((value, index) => bytesField(index + 1, value)));
  return written.equals(message) ? values : null;
}

/** Of three bytes at the most, which is more than any header holds. */
function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = bytes[from + index];
    if (byte === undefined) return null;
    value += (byte % 0x80) * 0x80 ** index;
    if (byte < 0x80) return { value, end: from + index + 1 };
  }
  return null;
}

function bytesField(number: number, value: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + BYTES), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
