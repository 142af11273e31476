import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decodeText } from './encodings.ts';

/** Bytes of r‖s. */
export const COSMOS_SIGNATURE_BYTES = 64;

const PUBLIC_KEY_BYTES = 33;
const S_OFFSET = 32;

/** SubjectPublicKeyInfo of a compressed secp256k1 point (RFC 5480 §2), without the point. */
const SPKI_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

/** Half the group order (SEC 2 §2.4.1), big-endian. */
const HALF_GROUP_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** Whether a text is a public key of algorithm cosmos: base64 of a compressed secp256k1 point. */
export function isCosmosKey(publicKey: string): boolean {
  return readKey(publicKey) !== null;
}

/** Verifies r‖s over the SHA-256 of the payload with OpenSSL. Chains reject a high s. */
export function isCosmosSignature(publicKey: string, payload: Uint8Array, signature: Uint8Array): boolean {
  const key = readKey(publicKey);
  if (key === null || Buffer.compare(signature.subarray(S_OFFSET), HALF_GROUP_ORDER) > 0) return false;
  return verify('sha256', payload, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function readKey(publicKey: string): KeyObject | null {
  const point = decodeText(publicKey, 'base64');
  if (point?.length !== PUBLIC_KEY_BYTES) return null;
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, point]), format: 'der', type: 'spki' });
  } catch {
    // Not on the curve.
    return null;
  }
}
