import secp256k1 from 'secp256k1-native';
import { getSigningContext } from './secp256k1-contexts.ts';

const UNCOMPRESSED_BYTES = 65;
const COMPRESSED_BYTES = 33;
const COORDINATE_BYTES = 32;
const EVEN_Y = 2;

/**
 * Whether `publicKey`, a 33- or 65-byte point (SEC 1 §2.3.3), belongs to the 32-byte secp256k1
 * `privateKey`. False for malformed input. Derived secrets stay on the native stack.
 */
export function isPublicKeyOfScalar(publicKey: Buffer, privateKey: Buffer): boolean {
  const context = getSigningContext();
  if (!secp256k1.secp256k1_ec_seckey_verify(context, privateKey)) return false;
  const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
  secp256k1.secp256k1_ec_pubkey_create(context, point, privateKey);
  const derived = Buffer.alloc(UNCOMPRESSED_BYTES);
  secp256k1.secp256k1_ec_pubkey_serialize(context, derived, point, secp256k1.secp256k1_ec_UNCOMPRESSED);
  if (publicKey.length !== COMPRESSED_BYTES) return derived.equals(publicKey);
  const prefix = EVEN_Y + ((derived.at(-1) ?? 0) & 1);
  return publicKey[0] === prefix && publicKey.subarray(1).equals(derived.subarray(1, 1 + COORDINATE_BYTES));
}
