import { type AccessToken, isPrincipal, type TokenClaims } from '../../../domain/model/authentication.ts';
import { parseIsoTime } from '../../../domain/model/text/iso-time.ts';
import { decodeProtobuf, encodeProtobuf, type MessageSchema } from '../../../domain/payload/protobuf.ts';

/* Only canonical encodings are decoded: no signature covers the bytes of others. */

const ACCESS_TOKEN = {
  username: { number: 1, type: 'string' },
  publicKey: { number: 2, type: 'bytes' },
  expirationTime: { number: 3, type: 'string' },
  signature: { number: 4, type: 'bytes' },
} as const satisfies MessageSchema;

const REQUEST_AUTH_INFO = {
  clientAccessToken: { number: 1, type: ACCESS_TOKEN },
  servicePublicKey: { number: 2, type: 'bytes' },
  time: { number: 3, type: 'double' },
  nonce: { number: 4, type: 'bytes' },
  signature: { number: 5, type: 'bytes' },
} as const satisfies MessageSchema;

const RESPONSE_AUTH_INFO = {
  serviceAccessToken: { number: 1, type: ACCESS_TOKEN },
  nonce: { number: 2, type: 'bytes' },
  signature: { number: 3, type: 'bytes' },
} as const satisfies MessageSchema;

/** Length of an Ed25519 public key, bytes. */
export const PUBLIC_KEY_BYTES = 32;

/** Length of an Ed25519 signature, bytes. */
export const SIGNATURE_BYTES = 64;

export function encodeAccessToken(token: AccessToken): Uint8Array {
  return encodeProtobuf(ACCESS_TOKEN, token);
}

/** Encodes fields 1 to 3, without the signature. */
export function encodeTokenClaims({ username, publicKey, expirationTime }: TokenClaims): Uint8Array {
  return encodeProtobuf(ACCESS_TOKEN, { username, publicKey, expirationTime });
}

/**
 * Decodes a canonical token with valid fields; null for other bytes. Does not verify the signature.
 */
export function decodeAccessToken(bytes: Uint8Array): AccessToken | null {
  const token = decodeProtobuf(ACCESS_TOKEN, bytes);
  return token.ok && isValidToken(token.value) ? token.value : null;
}

/** Whether all fields are valid. */
function isValidToken({ username, publicKey, expirationTime, signature }: AccessToken): boolean {
  return (
    isPrincipal(username) &&
    publicKey.length === PUBLIC_KEY_BYTES &&
    parseIsoTime(expirationTime) !== null &&
    signature.length === SIGNATURE_BYTES
  );
}

/** Allowed length of a nonce. */
export const NONCE_BYTES = { min: 16, max: 64 } as const;

/** The fields that a client signs, with the request. */
export interface RequestClaims {
  readonly clientAccessToken: AccessToken;
  readonly servicePublicKey: Uint8Array;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly nonce: Uint8Array;
}

/** Signed request claims (specification, Authentication 3). */
export interface RequestAuthInfo extends RequestClaims {
  readonly signature: Uint8Array;
}

export function encodeRequestAuthInfo(info: RequestAuthInfo): Uint8Array {
  return encodeProtobuf(REQUEST_AUTH_INFO, info);
}

/** Encodes fields 1 to 4, without the signature. */
export function encodeRequestClaims({ clientAccessToken, servicePublicKey, time, nonce }: RequestClaims): Uint8Array {
  const claims = { clientAccessToken, servicePublicKey, time, nonce };
  return encodeProtobuf(REQUEST_AUTH_INFO, claims);
}

/**
 * Decodes a canonical message with valid fields; null for other bytes. Does not verify signatures.
 */
export function decodeRequestAuthInfo(bytes: Uint8Array): RequestAuthInfo | null {
  const info = decodeProtobuf(REQUEST_AUTH_INFO, bytes);
  if (!info.ok) return null;
  const { clientAccessToken, servicePublicKey, time, nonce, signature } = info.value;
  if (clientAccessToken === undefined || !isValidToken(clientAccessToken)) return null;
  if (servicePublicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return null;
  if (!Number.isFinite(time) || nonce.length < NONCE_BYTES.min || nonce.length > NONCE_BYTES.max) return null;
  return { clientAccessToken, servicePublicKey, time, nonce, signature };
}

/** The fields that the service signs, with request and response. */
export interface ResponseClaims {
  readonly serviceAccessToken: AccessToken;
  /** The request's nonce. */
  readonly nonce: Uint8Array;
}

/** Signed response claims (specification, Authentication 3). */
export interface ResponseAuthInfo extends ResponseClaims {
  readonly signature: Uint8Array;
}

export function encodeResponseAuthInfo(info: ResponseAuthInfo): Uint8Array {
  return encodeProtobuf(RESPONSE_AUTH_INFO, info);
}

/** Encodes fields 1 and 2, without the signature. */
export function encodeResponseClaims({ serviceAccessToken, nonce }: ResponseClaims): Uint8Array {
  return encodeProtobuf(RESPONSE_AUTH_INFO, { serviceAccessToken, nonce });
}
