import secp256k1 from 'secp256k1-native';
import sodium from 'sodium-native';

const UNCOMPRESSED_BYTES = 65;
const COMPRESSED_BYTES = 33;
const COORDINATE_BYTES = 32;
const EVEN_Y = 2;

/**
 * Whether `publicKey` is the secp256k1 public key of `privateKey` (32 bytes), as a compressed (33 bytes) or uncompressed (65 bytes) point (SEC 1 §2.3.3). What is
 * derived from the private key on the way stays on the native stack. False for anything malformed, a private key of zero or beyond the group order included.
 */
export function isPublicKeyOfScalar(publicKey: Buffer, privateKey: Buffer): boolean {
  const context = secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  blind(context);
  if (!secp256k1.secp256k1_ec_seckey_verify(context, privateKey)) return false;
  const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
  secp256k1.secp256k1_ec_pubkey_create(context, point, privateKey);
  const derived = Buffer.alloc(UNCOMPRESSED_BYTES);
  secp256k1.secp256k1_ec_pubkey_serialize(context, derived, point, secp256k1.secp256k1_ec_UNCOMPRESSED);
  if (publicKey.length !== COMPRESSED_BYTES) return derived.equals(publicKey);
  const form = EVEN_Y + ((derived.at(-1) ?? 0) & 1);
  return publicKey[0] === form && publicKey.subarray(1).equals(derived.subarray(1, 1 + COORDINATE_BYTES));
}

/** Against side channels, as for signing. */
function blind(context: Buffer): void {
  const seed = Buffer.alloc(32);
  sodium.randombytes_buf(seed);
  secp256k1.secp256k1_context_randomize(context, seed);
  sodium.sodium_memzero(seed);
}
