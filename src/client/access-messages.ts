/*
 * The specification's proto3 messages in canonical encoding (docs/callers/authentication.md):
 * fields in order, each once, minimal varints, no unknown fields.
 */

const BYTES = 2;
const DOUBLE = 1;

/** An access token, signed by an authority. */
export interface AccessToken {
  readonly username: Buffer;
  readonly publicKey: Buffer;
  /** ASCII, ISO 8601 UTC. */
  readonly expirationTime: Buffer;
  readonly signature: Buffer;
}

/** Fields 1 to 4 of a RequestAuthInfo. */
export interface RequestClaims {
  /** The client's token, encoded. */
  readonly token: Buffer;
  readonly servicePublicKey: Buffer;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly nonce: Buffer;
}

/** A ResponseAuthInfo. */
export interface ResponseAuthInfo {
  /** The service's token, encoded. */
  readonly token: Buffer;
  readonly nonce: Buffer;
  readonly signature: Buffer;
}

/** Encodes the signed part of a token, fields 1 to 3. */
export function encodeTokenClaims({ username, publicKey, expirationTime }: Omit<AccessToken, 'signature'>): Buffer {
  return Buffer.concat([bytesField(1, username), bytesField(2, publicKey), bytesField(3, expirationTime)]);
}

/** Encodes the signed part of a RequestAuthInfo, fields 1 to 4. */
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

/** Encodes a RequestAuthInfo. */
export function encodeRequestAuthInfo(claims: Buffer, signature: Buffer): Buffer {
  return Buffer.concat([claims, bytesField(5, signature)]);
}

/** Encodes the signed part of a ResponseAuthInfo, fields 1 and 2. */
export function encodeResponseClaims({ token, nonce }: Pick<ResponseAuthInfo, 'token' | 'nonce'>): Buffer {
  return Buffer.concat([bytesField(1, token), bytesField(2, nonce)]);
}

/** Decodes a token; null if not canonical. */
export function decodeToken(bytes: Buffer): AccessToken | null {
  const [username, publicKey, expirationTime, signature] = readBytesFields(bytes, 4) ?? [];
  if (!username || !publicKey || !expirationTime || !signature) return null;
  return { username, publicKey, expirationTime, signature };
}

/** Decodes a ResponseAuthInfo; null if not canonical. */
export function decodeResponseAuthInfo(bytes: Buffer): ResponseAuthInfo | null {
  const [token, nonce, signature] = readBytesFields(bytes, 3) ?? [];
  return token && nonce && signature ? { token, nonce, signature } : null;
}

/** Non-empty bytes fields 1 to `count`; null if the message is anything else or not canonical. */
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

/** At most three bytes: more than any header holds. */
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
