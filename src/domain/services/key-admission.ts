import type { CredentialAccount } from '../../ports/credential-source.ts';
import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import type { Account, AccountProfile } from '../model/account.ts';
import { InvalidPrivateKeyError } from '../model/errors.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { SecretBytes } from '../model/secret-bytes.ts';
import { isSignatureOf } from './signing-steps.ts';

/** A key that the store has taken in and that was shown to work. */
export interface AdmittedKey {
  readonly handle: KeyHandle;
  readonly publicKey: string;
  /** See {@link AccountProfile.address}. */
  readonly address?: string | undefined;
}

/**
 * Takes a private key into the store and tests it before it serves. Where its public key is known,
 * the one that is derived from what the store gives back has to be the same: then it is, bit for
 * bit, the key that was tested when its public key was written down. Otherwise a signature over the
 * algorithm's probe has to verify with the public key that is derived.
 * @param expected the public key that it must have, in the text form of its algorithm; null: any
 * @throws InvalidPrivateKeyError when the key is none of its algorithm or fails the test; nothing
 * is kept then.
 */
export function admitKey(
  keyStore: KeyStore,
  signer: Signer,
  identity: KeyIdentity,
  privateKey: SecretBytes,
  expected: string | null = null,
): AdmittedKey {
  const handle = keyStore.create(identity, signer.signingKeyLength(privateKey.length), (signingKey) =>
    signer.expand(privateKey, signingKey),
  );
  try {
    const publicKey =
      expected === null ? tested(keyStore, signer, handle) : compared(keyStore, signer, handle, expected);
    return { handle, publicKey, address: signer.address?.(publicKey) ?? undefined };
  } catch (error) {
    keyStore.discard(handle);
    throw error;
  }
}

/**
 * An account as configured, with its admitted key. Not made by spreading: there may be a hundred
 * thousand of them, V8 (that of Node 20, for one) may make a hidden class for each object that is
 * spread into a longer one, and every garbage collection visits them all.
 * @param createdAt ISO 8601 UTC with milliseconds, also where the configuration gives none
 */
export function admittedAccount(
  { platformId, accountId, alias, status, environment, algorithm, values, keyRevision }: CredentialAccount,
  createdAt: string,
  { handle, publicKey, address }: AdmittedKey,
): Account {
  const account: { -readonly [Member in keyof Account]: Account[Member] } = {
    platformId,
    accountId,
    alias,
    status,
    environment,
    algorithm,
    publicKey,
    createdAt,
    key: handle,
  };
  if (address !== undefined) account.address = address;
  if (values !== undefined) account.values = values;
  if (keyRevision !== undefined) account.keyRevision = keyRevision;
  return account;
}

function compared(keyStore: KeyStore, signer: Signer, handle: KeyHandle, expected: string): string {
  const publicKey = keyStore.use(handle, (key) => signer.publicKey(key));
  if (publicKey === expected) return publicKey;
  throw new InvalidPrivateKeyError('The key does not belong to the publicKey that the file names.');
}

function tested(keyStore: KeyStore, signer: Signer, handle: KeyHandle): string {
  const { publicKey, signature } = keyStore.use(handle, (key) => ({
    publicKey: signer.publicKey(key),
    signature: signer.sign(key, signer.probe, 'hex'),
  }));
  if (isSignatureOf(keyStore, signer, { publicKey, key: handle }, signer.probe, signature, 'hex')) return publicKey;
  throw new InvalidPrivateKeyError('The key failed its self-test: a signature made with it does not verify.');
}
