import sodium from 'sodium-native';
import { withLockedBytes } from './locked-buffer.ts';

/**
 * Whether `publicKey` (32 bytes) is the Ed25519 public key of `seed` (32 bytes; RFC 8032 §5.1.5). Both in constant time; what is derived from the
 * seed stays in locked memory.
 */
export function isPublicKeyOfSeed(publicKey: Buffer, seed: Buffer): boolean {
  if (publicKey.length !== sodium.crypto_sign_PUBLICKEYBYTES) return false;
  const derived = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  withLockedBytes(sodium.crypto_sign_SECRETKEYBYTES, (secretKey) => {
    sodium.crypto_sign_seed_keypair(derived, secretKey, seed);
  });
  return sodium.sodium_memcmp(derived, publicKey);
}
