import { create, toBinary } from '@bufbuild/protobuf';
import { type AccessToken, parseExpirationTime, type TokenClaims } from '../domain/model/access-token.ts';
import { isPrincipal } from '../domain/model/principal.ts';
import { decodeCanonical } from './canonical-message.ts';
import { AccessTokenSchema } from './generated/access-messages_pb.ts';

/** Length of an Ed25519 public key, bytes. */
export const PUBLIC_KEY_BYTES = 32;

/** Length of an Ed25519 signature, bytes. */
export const SIGNATURE_BYTES = 64;

/** The canonical encoding of a token. */
export function encodeAccessToken(token: AccessToken): Uint8Array {
  return toBinary(AccessTokenSchema, create(AccessTokenSchema, token));
}

/** The canonical encoding of fields 1 to 3 of a token: those before its signature. */
export function encodeTokenClaims({ username, publicKey, expirationTime }: TokenClaims): Uint8Array {
  return toBinary(AccessTokenSchema, create(AccessTokenSchema, { username, publicKey, expirationTime }));
}

/** A token whose encoding is canonical and whose fields are what they should be; null for other bytes. Whether its signature is right is another question. */
export function decodeAccessToken(bytes: Uint8Array): AccessToken | null {
  const token = decodeCanonical(AccessTokenSchema, bytes);
  return token !== null && isSound(token) ? token : null;
}

/** Whether each field is what it should be. */
export function isSound({ username, publicKey, expirationTime, signature }: AccessToken): boolean {
  return (
    isPrincipal(username) &&
    publicKey.length === PUBLIC_KEY_BYTES &&
    parseExpirationTime(expirationTime) !== null &&
    signature.length === SIGNATURE_BYTES
  );
}
