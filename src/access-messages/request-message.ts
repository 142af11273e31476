import { create, toBinary } from '@bufbuild/protobuf';
import type { AccessToken } from '../domain/model/access-token.ts';
import { isSound, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './access-token-message.ts';
import { decodeCanonical } from './canonical-message.ts';
import { RequestAuthInfoSchema } from './generated/access-messages_pb.ts';

/** Fewest and most bytes of a nonce. */
export const NONCE_BYTES = { min: 16, max: 64 } as const;

/** What a client says of itself and signs, beside the request. */
export interface RequestClaims {
  readonly clientAccessToken: AccessToken;
  readonly servicePublicKey: Uint8Array;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly nonce: Uint8Array;
}

/** The same with the client's signature (specification, Authentication 3). */
export interface RequestAuthInfo extends RequestClaims {
  readonly signature: Uint8Array;
}

/** The canonical encoding of the whole message. */
export function encodeRequestAuthInfo(info: RequestAuthInfo): Uint8Array {
  return toBinary(RequestAuthInfoSchema, create(RequestAuthInfoSchema, info));
}

/** The canonical encoding of fields 1 to 4: those before the signature. */
export function encodeRequestClaims({ clientAccessToken, servicePublicKey, time, nonce }: RequestClaims): Uint8Array {
  const claims = { clientAccessToken, servicePublicKey, time, nonce };
  return toBinary(RequestAuthInfoSchema, create(RequestAuthInfoSchema, claims));
}

/** A message whose encoding is canonical and whose fields are what they should be; null for other bytes. Whether its signatures are right is another question. */
export function decodeRequestAuthInfo(bytes: Uint8Array): RequestAuthInfo | null {
  const info = decodeCanonical(RequestAuthInfoSchema, bytes);
  if (info?.clientAccessToken === undefined || !isSound(info.clientAccessToken)) return null;
  const { clientAccessToken, servicePublicKey, time, nonce, signature } = info;
  if (servicePublicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return null;
  if (!Number.isFinite(time) || nonce.length < NONCE_BYTES.min || nonce.length > NONCE_BYTES.max) return null;
  return { clientAccessToken, servicePublicKey, time, nonce, signature };
}
