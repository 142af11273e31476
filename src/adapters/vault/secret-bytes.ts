import sodium from 'sodium-native';
import { getKeyLengths } from '../../domain/model/account.ts';

/*
 * Native code leaves bytes that it copied or decrypted in vector registers, and V8 saves these to
 * ordinary memory, which it frees without wiping, when it deoptimizes a function.
 */

/** Longest secret, bytes. */
export const MAX_SECRET_LENGTH = getKeyLengths('rsa-sha256').max;

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

/** XChaCha20-Poly1305: 24-byte random nonce, ciphertext, 16-byte tag. Safe in ordinary memory. */
export type SealedSecret = Buffer;

const NONCE_LENGTH = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
const SEAL_LENGTH = NONCE_LENGTH + sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;

/**
 * Block that sealed secrets share: separate allocations cost half a kilobyte each, and Node's pool
 * would retain unrelated garbage.
 */
const BLOCK_LENGTH = 64 * 1024;
let block = Buffer.alloc(0);

/** Public bytes, which {@link openSecret} encrypts. */
const decoy = Buffer.alloc(MAX_SECRET_LENGTH);
const DECOY_NONCE = Buffer.alloc(sodium.crypto_stream_chacha20_ietf_NONCEBYTES);
const DECOY_KEY = Buffer.alloc(sodium.crypto_stream_chacha20_ietf_KEYBYTES);

/**
 * Encrypts `secret` under `key` (32 bytes, both in locked memory), bound to `context`.
 * @see https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha-03
 */
export function sealSecret(secret: Uint8Array, context: Buffer, key: Buffer): SealedSecret {
  const length = secret.length + SEAL_LENGTH;
  if (length > block.length) block = Buffer.alloc(BLOCK_LENGTH);
  const sealed = block.subarray(0, length);
  block = block.subarray(length);
  const { nonce, ciphertext } = splitSealed(sealed);
  sodium.randombytes_buf(nonce);
  sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, secret, context, null, nonce, key);
  return sealed;
}

/**
 * Decrypts into `secret`, in locked memory, which has the secret's length, at most
 * {@link MAX_SECRET_LENGTH}. The same cipher then encrypts as many public bytes, and overwrites the
 * registers that it used.
 * @throws Error if key, context or sealed bytes differ
 */
export function openSecret(sealed: SealedSecret, context: Buffer, key: Buffer, secret: Buffer): void {
  const { nonce, ciphertext } = splitSealed(sealed);
  sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(secret, null, ciphertext, context, nonce, key);
  const overwriting = decoy.subarray(0, secret.length);
  sodium.crypto_stream_chacha20_ietf_xor(overwriting, overwriting, DECOY_NONCE, DECOY_KEY);
}

/** Length of the plaintext, bytes. */
export function secretLength(sealed: SealedSecret): number {
  return sealed.length - SEAL_LENGTH;
}

/** `<nonce>.<ciphertext and tag>`, both in unpadded base64url. */
export function formatSealed(sealed: SealedSecret): string {
  const { nonce, ciphertext } = splitSealed(sealed);
  return `${nonce.toString('base64url')}.${ciphertext.toString('base64url')}`;
}

function splitSealed(sealed: SealedSecret): { readonly nonce: Buffer; readonly ciphertext: Buffer } {
  return { nonce: sealed.subarray(0, NONCE_LENGTH), ciphertext: sealed.subarray(NONCE_LENGTH) };
}
