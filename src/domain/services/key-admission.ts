import type { CredentialAccount } from '../../ports/credential-source.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import type { Account, AccountProfile, KeyHandle, SecretBytes } from '../model/account.ts';
import { isMacAlgorithm } from '../model/algorithm.ts';
import { InvalidPrivateKeyError } from '../model/errors.ts';
import { isSignatureOf } from './signing-steps.ts';

const PREFIX_LENGTH = 'sha256:'.length;
const DIGITS = 16;

/** A tested key in the store, and its short name. */
export interface IdentifiedKey extends AdmittedKey {
  /** See {@link Account.keyId}. */
  readonly keyId: string;
}

/** A tested key in the store. */
export interface AdmittedKey {
  readonly handle: KeyHandle;
  readonly publicKey: string;
  /** See {@link AccountProfile.address}. */
  readonly address?: string | undefined;
}

/**
 * Stores a private key and tests it: the public key derived from the stored key must equal the
 * expected one, or, without one, verify a signature over the algorithm's probe.
 * @param expected public key in its algorithm's text form; null: any
 * @throws InvalidPrivateKeyError for an invalid key; it is not stored then
 */
export function admitKey(
  keyStore: KeyStore,
  signer: Signer,
  identity: KeyIdentity,
  privateKey: SecretBytes,
  expected: string | null = null,
): AdmittedKey {
  const handle = keyStore.create(identity, signer.signingKeyLength ?? privateKey.length, (signingKey) =>
    signer.expand(privateKey, signingKey),
  );
  try {
    const publicKey =
      expected === null ? testKey(keyStore, signer, handle) : compareKey(keyStore, signer, handle, expected);
    return { handle, publicKey, address: signer.address?.(publicKey) ?? undefined };
  } catch (error) {
    keyStore.discard(handle);
    throw error;
  }
}

/**
 * An account with its admitted key. Not spread: V8 (of Node 20) may make a hidden class for each
 * spread object, and every garbage collection visits those of 100,000 accounts.
 * @param createdAt ISO 8601 UTC with milliseconds
 */
export function toAccount(
  credential: CredentialAccount,
  createdAt: string,
  { handle, publicKey, address, keyId }: IdentifiedKey,
): Account {
  const { platformId, accountId, alias, status, environment, algorithm, values, overlapSeconds } = credential.account;
  const { keyRevision } = credential;
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
    keyId,
  };
  if (address !== undefined) account.address = address;
  if (values !== undefined) account.values = values;
  if (keyRevision !== undefined) account.keyRevision = keyRevision;
  if (overlapSeconds !== undefined) account.overlapSeconds = overlapSeconds;
  return account;
}

/**
 * Short name of an account's key, for records: of a public key the first 16 hex digits of the
 * SHA-256 of its text form in UTF-8, which `printf %s "$publicKey" | sha256sum` prints; of an HMAC
 * secret its ID, `hmac:<16 hex>`. Accounts with the same key have the same one, also if their
 * algorithms differ but share the form of their public keys.
 */
export function toKeyId(
  hasher: Pick<Hasher, 'sha256'>,
  { algorithm, publicKey }: Pick<AccountProfile, 'algorithm' | 'publicKey'>,
): string {
  if (isMacAlgorithm(algorithm)) return publicKey;
  return hasher.sha256(publicKey).slice(PREFIX_LENGTH, PREFIX_LENGTH + DIGITS);
}

function compareKey(keyStore: KeyStore, signer: Signer, handle: KeyHandle, expected: string): string {
  const publicKey = keyStore.use(handle, (key) => signer.publicKey(key));
  if (publicKey === expected) return publicKey;
  throw new InvalidPrivateKeyError('The key does not match the publicKey in the file.');
}

function testKey(keyStore: KeyStore, signer: Signer, handle: KeyHandle): string {
  const { publicKey, signature } = keyStore.use(handle, (key) => ({
    publicKey: signer.publicKey(key),
    signature: signer.sign(key, signer.probe, 'hex'),
  }));
  if (isSignatureOf(keyStore, signer, { publicKey, key: handle }, signer.probe, signature, 'hex')) return publicKey;
  throw new InvalidPrivateKeyError('The key failed its self-test: its signature does not verify.');
}
