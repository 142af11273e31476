import type { KeyOrigin, ListedAccount, SignPassphrase } from '../../ports/credential-editor.ts';
import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import { type Algorithm, isMacAlgorithm, toSignerEncoding } from '../model/algorithm.ts';
import { type FixedValues, PASSPHRASE_VALUE } from '../model/payload.ts';
import { listRules, type Platform, signatureEncoding } from '../model/platform.ts';
import { takesPassphrase } from '../payload/payload-rules.ts';

/** A key's source, and the fixed values that come with it. */
interface NewKey extends KeyOrigin {
  readonly values?: FixedValues | undefined;
}

/** Whether requests of a rule of the platform carry the MAC of a passphrase. */
export function carriesPassphrase(platform: Pick<Platform, 'payload' | 'rules'>): boolean {
  return listRules(platform).some(takesPassphrase);
}

/** Why an account cannot have its passphrase file, a clause about it; undefined if it can. */
export function findPassphraseIssue(
  { passphraseFile, values = {} }: NewKey,
  algorithm: Algorithm,
  platform: Platform | undefined,
): string | undefined {
  if (passphraseFile === undefined || platform === undefined) return undefined;
  if (!isMacAlgorithm(algorithm)) return `is only for HMAC accounts, not for ${algorithm}`;
  if (!carriesPassphrase(platform)) {
    return `is only for platforms with the option "passphrase" of a prehash rule, which ${platform.platformId} does not have`;
  }
  if (!Object.hasOwn(values, PASSPHRASE_VALUE)) return undefined;
  return `conflicts with the value ${PASSPHRASE_VALUE}: give one of them`;
}

/** Why a new account needs a passphrase file, a clause about it; undefined if it does not. */
export function findMissingPassphrase(
  { keyFile, passphraseFile, values = {} }: NewKey,
  algorithm: Algorithm,
  platform: Platform | undefined,
): string | undefined {
  if (passphraseFile !== undefined || Object.hasOwn(values, PASSPHRASE_VALUE)) return undefined;
  // HMAC secrets are never generated: the key file is what such an account lacks.
  if (keyFile === undefined || !isMacAlgorithm(algorithm)) return undefined;
  if (platform === undefined || !carriesPassphrase(platform)) return undefined;
  return `is required, since each request to ${platform.platformId} carries the HMAC of the API key's passphrase; or set the value ${PASSPHRASE_VALUE} to that HMAC`;
}

/**
 * Why a key cannot replace another without its passphrase file, a clause about it: the MAC in the
 * present values was made with the previous key. Undefined if it can.
 */
export function findStalePassphrase(
  { passphraseFile, values = {} }: NewKey,
  present: FixedValues = {},
): string | undefined {
  if (passphraseFile !== undefined || Object.hasOwn(values, PASSPHRASE_VALUE)) return undefined;
  if (!Object.hasOwn(present, PASSPHRASE_VALUE)) return undefined;
  return `is required, since the value ${PASSPHRASE_VALUE} of the account was made with its previous key; or set the value`;
}

/**
 * Why an edit cannot change the value of a passphrase, sentences: it is a MAC with the key, which
 * an edit does not open. Undefined if it leaves the value, or adds the first.
 * @param values all that the account would have
 */
export function findPassphraseEditIssue(
  values: FixedValues | undefined,
  { platformId, accountId, values: present = {} }: ListedAccount,
  platform: Platform | undefined,
): string | undefined {
  if (platform === undefined || !carriesPassphrase(platform)) return undefined;
  if (!Object.hasOwn(present, PASSPHRASE_VALUE) || values?.[PASSPHRASE_VALUE] === present[PASSPHRASE_VALUE]) {
    return undefined;
  }
  const ids = `--platform ${platformId} --account ${accountId}`;
  return (
    `The value ${PASSPHRASE_VALUE} is the HMAC of the API key's passphrase with the secret, so it is changed together with the key, which may stay the same: ` +
    `signing-service account replace-key ${ids} --key-file FILE --passphrase-file FILE. Nothing was changed.`
  );
}

/** Makes the fixed value of a passphrase: its MAC with the key, in the encoding of the platform. */
export function toPassphraseSigner(
  keyStore: KeyStore,
  signer: Signer,
  identity: KeyIdentity,
  platform: Platform,
): SignPassphrase {
  const form = signatureEncoding(platform, identity.algorithm, listRules(platform).find(takesPassphrase));
  const encoding = toSignerEncoding(form);
  return (privateKey, passphrase) => {
    const handle = keyStore.create(identity, signer.signingKeyLength ?? privateKey.length, (signingKey) =>
      signer.expand(privateKey, signingKey),
    );
    try {
      return keyStore.use(handle, (key) => signer.sign(key, passphrase, encoding));
    } finally {
      keyStore.discard(handle);
    }
  };
}
