import type { AccountProfile } from '../../../domain/model/account.ts';
import { EditRefusedError, InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import { fixedLength } from '../../../domain/model/key-lengths.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { AccountDraft, KeyOrigin } from '../../../ports/credential-editor.ts';
import { withGeneratedKey } from '../../../secure-memory/key-file.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { withAccountKeyFile } from './account-key-file.ts';
import type { MasterKey } from './master-key/master-key.ts';
import { sealKey } from './sealed-key.ts';
import type { WantedKey } from './wanted-key.ts';

/** 32 random bytes are no key of an algorithm once in 2^128 times at the most; more failures in a row are a defect. */
const MAX_GENERATIONS = 16;

/** A new account's key, ready for the credentials file. */
export interface NewKey {
  readonly publicKey: string;
  readonly sealed: string;
}

/** A new account's profile, and its entry in the credentials file, each with its fields in their order there. */
export function newAccount(
  { platformId, accountId, alias, status, environment, algorithm, createdAt, values }: AccountDraft,
  { publicKey, sealed }: NewKey,
): {
  readonly profile: AccountProfile;
  readonly entry: AccountProfile & { readonly key: { readonly sealed: string } };
} {
  const profile = {
    ...{ platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt },
    ...(values === undefined ? {} : { values }),
  };
  return { profile, entry: { ...profile, key: { sealed } } };
}

/** Names a key's public key. @throws InvalidPrivateKeyError when it is no key of its algorithm */
export type DerivePublicKey = (privateKey: SecretBytes) => string;

/** Lends a private key once or, while it is no key of its algorithm, another one again. */
export type LendNewKey = <Result>(use: (privateKey: SecretBytes) => Result) => Result;

/**
 * How the key that is wanted is come by: generated, or read from its file; nothing happens before it is asked for.
 * @throws EditRefusedError when such a key can't be generated; later when the key file can't be read or holds no key of the algorithm
 */
export function lenderOf(origin: KeyOrigin, wanted: WantedKey): LendNewKey {
  if (origin.kind === 'file') return (use) => lendFromFile(origin, wanted, use);
  const length = fixedLength(wanted.lengths);
  if (length !== undefined) return (use) => lendGenerated(length, use);
  throw new EditRefusedError(
    `A key for ${wanted.algorithm} is not generated: it is the secret that the platform gives out. ` +
      'Write that into a file and name it with --key-file; nothing was changed.',
  );
}

/** Seals the private key that is lent for the account; it is never outside of locked memory but sealed. @throws what `lend` throws */
export function sealNewKey(
  masterKey: MasterKey,
  draft: AccountDraft,
  lend: LendNewKey,
  derivePublicKey: DerivePublicKey,
): NewKey {
  return lend((privateKey) => {
    const publicKey = derivePublicKey(privateKey);
    return { publicKey, sealed: sealKey(masterKey, { ...draft, publicKey }, privateKey) };
  });
}

function lendGenerated<Result>(length: number, use: (privateKey: SecretBytes) => Result): Result {
  let failure: unknown;
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    try {
      return withGeneratedKey(length, use);
    } catch (error) {
      if (!(error instanceof InvalidPrivateKeyError)) throw error;
      failure = error;
    }
  }
  throw new EditRefusedError(`No valid key came out of ${MAX_GENERATIONS} generations; nothing was changed.`, {
    cause: failure,
  });
}

function lendFromFile<Result>(
  origin: Extract<KeyOrigin, { kind: 'file' }>,
  wanted: WantedKey,
  use: (privateKey: SecretBytes) => Result,
): Result {
  try {
    return withAccountKeyFile(origin, wanted, use);
  } catch (error) {
    if (error instanceof KeyFileError) throw new EditRefusedError(error.message, { cause: error });
    if (!(error instanceof InvalidPrivateKeyError)) throw error;
    throw new EditRefusedError(`${origin.file}: ${error.message}`, { cause: error });
  }
}
