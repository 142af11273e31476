import sodium from 'sodium-native';

/** A secret as ciphertext: XChaCha20-Poly1305 with a random 24-byte nonce. It may lie in ordinary memory. */
export interface SealedSecret {
  readonly nonce: Buffer;
  /** The secret's bytes encrypted, and a 16-byte tag. */
  readonly ciphertext: Buffer;
}

/**
 * Encrypts `secret` under `key` (32 bytes, both in locked memory). It opens only with the same `context`.
 * @see https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03
 */
export function sealSecret(secret: Buffer, context: Buffer, key: Buffer): SealedSecret {
  const nonce = Buffer.alloc(sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
  sodium.randombytes_buf(nonce);
  const ciphertext = Buffer.alloc(secret.length + sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, secret, context, null, nonce, key);
  return { nonce, ciphertext };
}

/** Decrypts into `secret`, which has the secret's length. @throws Error when key or context is another, or the ciphertext was altered. */
export function openSecret({ nonce, ciphertext }: SealedSecret, context: Buffer, key: Buffer, secret: Buffer): void {
  sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(secret, null, ciphertext, context, nonce, key);
}

/** Bytes of the secret that was sealed. */
export function secretLength({ ciphertext }: SealedSecret): number {
  return ciphertext.length - sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;
}
