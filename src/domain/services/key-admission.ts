import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import { InvalidPrivateKeyError } from '../model/errors.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { SecretBytes } from '../model/secret-bytes.ts';
import { isSignatureOf } from './signature-check.ts';

/** A key that the store has taken in and that was shown to work. */
export interface AdmittedKey {
  readonly handle: KeyHandle;
  readonly publicKey: string;
}

/**
 * Takes a private key into the store and tests it before it serves: its public key is derived, and a signature over the algorithm's probe has to verify.
 * @throws InvalidPrivateKeyError when the key is none of its algorithm or fails the test; nothing is kept then.
 */
export function admitKey(
  keyStore: KeyStore,
  signer: Signer,
  identity: KeyIdentity,
  privateKey: SecretBytes,
): AdmittedKey {
  const handle = keyStore.create(identity, signer.signingKeyLength(privateKey.length), (signingKey) =>
    signer.expand(privateKey, signingKey),
  );
  try {
    const { publicKey, signature } = keyStore.use(handle, (key) => ({
      publicKey: signer.publicKey(key),
      signature: signer.sign(key, signer.probe, 'hex'),
    }));
    if (!isSignatureOf(keyStore, signer, { publicKey, key: handle }, signer.probe, signature, 'hex')) {
      throw new InvalidPrivateKeyError('The key failed its self-test: a signature made with it does not verify.');
    }
    return { handle, publicKey };
  } catch (error) {
    keyStore.discard(handle);
    throw error;
  }
}
