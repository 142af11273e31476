import sodium from 'sodium-native';

/*
 * Native code leaves bytes that it copied or decrypted in vector registers, and V8 saves these to
 * ordinary memory, which it frees without wiping, when it deoptimizes a function.
 */

/** Longest secret, bytes: an RSA key of 4096 bits in PKCS#8. */
export const MAX_SECRET_LENGTH = 2400;

/**
 * Copies secret bytes to the start of `target`, which may overlap them, one at a time:
 * `Buffer.copy` and `TypedArray.set` leave bytes in vector registers.
 * @returns length of `source`
 * @throws RangeError if `target` is shorter
 */
export function copySecret(source: Uint8Array, target: Uint8Array): number {
  const { length } = source;
  if (length > target.length) throw new RangeError(`A secret of ${length} bytes does not fit in ${target.length}.`);
  for (let index = 0; index < length; index += 1) target[index] = source[index] ?? 0;
  return length;
}

/** Public bytes, which {@link decryptSecret} encrypts. */
const decoy = Buffer.alloc(MAX_SECRET_LENGTH);
const DECOY_NONCE = Buffer.alloc(sodium.crypto_stream_chacha20_ietf_NONCEBYTES);
const DECOY_KEY = Buffer.alloc(sodium.crypto_stream_chacha20_ietf_KEYBYTES);

/**
 * Decrypts XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) into `secret`, in locked memory. The
 * same cipher then encrypts as many public bytes, and overwrites the registers that it used.
 * @param secret as long as the plaintext, at most {@link MAX_SECRET_LENGTH}
 * @param ciphertext with the 16-byte tag
 * @param nonce 24 bytes
 * @param key 32 bytes, in locked memory
 * @throws Error if key, nonce, context or ciphertext differ
 */
export function decryptSecret(secret: Buffer, ciphertext: Buffer, context: Buffer, nonce: Buffer, key: Buffer): void {
  sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(secret, null, ciphertext, context, nonce, key);
  const overwriting = decoy.subarray(0, secret.length);
  sodium.crypto_stream_chacha20_ietf_xor(overwriting, overwriting, DECOY_NONCE, DECOY_KEY);
}
