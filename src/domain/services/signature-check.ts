import type { KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { SignatureEncoding } from '../model/signature-encoding.ts';

/** What a signature is checked with: the public key where that is enough, else the secret itself. */
export interface CheckedKey {
  readonly publicKey: string;
  readonly key: KeyHandle;
}

/**
 * Whether `signature` is this key's over `message`. False for anything malformed.
 * @throws KeyUnavailableError when it takes the secret and that can't be opened
 */
export function isSignatureOf(
  keyStore: KeyStore,
  signer: Signer,
  { publicKey, key }: CheckedKey,
  message: Uint8Array,
  signature: string,
  encoding: SignatureEncoding,
): boolean {
  if (signer.kind === 'public-key') return signer.verify(publicKey, message, signature, encoding);
  return keyStore.use(key, (secret) => signer.verifyWithSecret(secret, message, signature, encoding));
}
