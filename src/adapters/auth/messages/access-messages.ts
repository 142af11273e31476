import { Buffer } from 'node:buffer';
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type AccessToken, isPrincipal, type TokenClaims } from '../../../domain/model/authentication.ts';
import { parseIsoTime } from '../../../domain/model/text/iso-time.ts';
import { AccessTokenSchema, RequestAuthInfoSchema, ResponseAuthInfoSchema } from './generated/access-messages_pb.ts';

/** Drops unknown fields, so that re-encoding omits them. */
const READ_OPTIONS = { readUnknownFields: false } as const;

/**
 * Decodes a canonical message; null for other bytes. Canonical: known fields only, once each, in
 * number order, shortest prefixes, no defaults. Other encodings would have bytes that no signature
 * covers.
 */
function decodeCanonical<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> | null {
  try {
    const message = fromBinary(schema, bytes, READ_OPTIONS);
    return Buffer.from(bytes).equals(toBinary(schema, message)) ? message : null;
  } catch {
    // Thrown for malformed messages.
    return null;
  }
}

/** Length of an Ed25519 public key, bytes. */
export const PUBLIC_KEY_BYTES = 32;

/** Length of an Ed25519 signature, bytes. */
export const SIGNATURE_BYTES = 64;

export function encodeAccessToken(token: AccessToken): Uint8Array {
  return toBinary(AccessTokenSchema, create(AccessTokenSchema, token));
}

/** Encodes fields 1 to 3, without the signature. */
export function encodeTokenClaims({ username, publicKey, expirationTime }: TokenClaims): Uint8Array {
  return toBinary(AccessTokenSchema, create(AccessTokenSchema, { username, publicKey, expirationTime }));
}

/**
 * Decodes a canonical token with valid fields; null for other bytes. Does not verify the signature.
 */
export function decodeAccessToken(bytes: Uint8Array): AccessToken | null {
  const token = decodeCanonical(AccessTokenSchema, bytes);
  return token !== null && isValidToken(token) ? token : null;
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
  return toBinary(RequestAuthInfoSchema, create(RequestAuthInfoSchema, info));
}

/** Encodes fields 1 to 4, without the signature. */
export function encodeRequestClaims({ clientAccessToken, servicePublicKey, time, nonce }: RequestClaims): Uint8Array {
  const claims = { clientAccessToken, servicePublicKey, time, nonce };
  return toBinary(RequestAuthInfoSchema, create(RequestAuthInfoSchema, claims));
}

/**
 * Decodes a canonical message with valid fields; null for other bytes. Does not verify signatures.
 */
export function decodeRequestAuthInfo(bytes: Uint8Array): RequestAuthInfo | null {
  const info = decodeCanonical(RequestAuthInfoSchema, bytes);
  if (info?.clientAccessToken === undefined || !isValidToken(info.clientAccessToken)) return null;
  const { clientAccessToken, servicePublicKey, time, nonce, signature } = info;
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
  return toBinary(ResponseAuthInfoSchema, create(ResponseAuthInfoSchema, info));
}

/** Encodes fields 1 and 2, without the signature. */
export function encodeResponseClaims({ serviceAccessToken, nonce }: ResponseClaims): Uint8Array {
  return toBinary(ResponseAuthInfoSchema, create(ResponseAuthInfoSchema, { serviceAccessToken, nonce }));
}
