import sodium from 'sodium-native';

/** A secret as ciphertext, XChaCha20-Poly1305: a random 24-byte nonce, the secret's bytes encrypted, and a 16-byte tag. It may lie in ordinary memory. */
export type SealedSecret = Buffer;

const NONCE_LENGTH = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
const TAG_LENGTH = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;

/**
 * Sealed secrets share blocks of so many bytes, as Node's own pool does it for all small buffers: memory of its own would cost each some half a kilobyte beside its hundred bytes, and in
 * that pool they would keep what only stood beside them for a moment. A block is given back when nothing in it is used any more.
 */
const BLOCK_LENGTH = 64 * 1024;

/**
 * Encrypts `secret` under `key` (32 bytes, both in locked memory). It opens only with the same `context`.
 * @see https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03
 */
export function sealSecret(secret: Buffer, context: Buffer, key: Buffer): SealedSecret {
  const sealed = takeMemory(NONCE_LENGTH + secret.length + TAG_LENGTH);
  const { nonce, ciphertext } = partsOf(sealed);
  sodium.randombytes_buf(nonce);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, secret, context, null, nonce, key);
  return sealed;
}

/** Decrypts into `secret`, which has the secret's length. @throws Error when key or context is another, or the ciphertext was altered. */
export function openSecret(sealed: SealedSecret, context: Buffer, key: Buffer, secret: Buffer): void {
  const { nonce, ciphertext } = partsOf(sealed);
  sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(secret, null, ciphertext, context, nonce, key);
}

/** Bytes of the secret that was sealed. */
export function secretLength(sealed: SealedSecret): number {
  return sealed.length - NONCE_LENGTH - TAG_LENGTH;
}

let block = Buffer.alloc(0);

function takeMemory(length: number): Buffer {
  if (length > block.length) block = Buffer.alloc(BLOCK_LENGTH);
  const taken = block.subarray(0, length);
  block = block.subarray(length);
  return taken;
}

function partsOf(sealed: SealedSecret): { readonly nonce: Buffer; readonly ciphertext: Buffer } {
  return { nonce: sealed.subarray(0, NONCE_LENGTH), ciphertext: sealed.subarray(NONCE_LENGTH) };
}
