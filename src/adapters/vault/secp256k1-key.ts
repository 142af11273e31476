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

/** Whether 32 bytes are a secp256k1 private key: from 1 to the group order minus 1. */
export function isScalar(privateKey: Buffer): boolean {
  return secp256k1.secp256k1_ec_seckey_verify(getSigningContext(), privateKey);
}

/** Writes the public key of a 32-byte private key, 33 bytes (SEC 1 §2.3.3). */
export function writeCompressedPublicKey(privateKey: Buffer, output: Buffer): void {
  const context = getSigningContext();
  const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
  secp256k1.secp256k1_ec_pubkey_create(context, point, privateKey);
  secp256k1.secp256k1_ec_pubkey_serialize(context, output, point, secp256k1.secp256k1_ec_COMPRESSED);
}

/**
 * Adds 32 bytes to a private key in place, modulo the group order. False if they are not below the
 * order or the sum is zero; the key is then undefined.
 */
export function addToScalar(privateKey: Buffer, tweak: Buffer): boolean {
  try {
    secp256k1.secp256k1_ec_privkey_tweak_add(getSigningContext(), privateKey, tweak);
    return true;
  } catch {
    return false;
  }
}
