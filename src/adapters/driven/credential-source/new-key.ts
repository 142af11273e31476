import { EditRefusedError, InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { AccountDraft, KeyOrigin } from '../../../ports/credential-editor.ts';
import { withGeneratedKey } from '../../../secure-memory/key-file.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { withAccountKeyFile } from './account-key-file.ts';
import type { MasterKey } from './master-key/master-key.ts';
import { sealKey } from './sealed-key.ts';

/** 32 random bytes are no key of an algorithm once in 2^128 times at the most; more failures in a row are a defect. */
const MAX_GENERATIONS = 16;

/** A new account's key, ready for the credentials file. */
export interface NewKey {
  readonly publicKey: string;
  readonly sealed: string;
}

/** Names a key's public key. @throws InvalidPrivateKeyError when it is no key of its algorithm */
export type DerivePublicKey = (privateKey: SecretBytes) => string;

/**
 * Generates or reads a private key of `length` bytes and seals it for the account; it is never outside of locked memory but sealed.
 * @throws EditRefusedError when the key file can't be read or holds no key of the algorithm
 */
export function sealNewKey(
  masterKey: MasterKey,
  draft: AccountDraft,
  origin: KeyOrigin,
  length: number,
  derivePublicKey: DerivePublicKey,
): NewKey {
  const seal = (privateKey: SecretBytes): NewKey => {
    const publicKey = derivePublicKey(privateKey);
    return { publicKey, sealed: sealKey(masterKey, { ...draft, publicKey }, privateKey) };
  };
  return origin.kind === 'generate' ? generate(length, seal) : importKey(draft, origin, length, seal);
}

function generate(length: number, seal: (privateKey: SecretBytes) => NewKey): NewKey {
  let failure: unknown;
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    try {
      return withGeneratedKey(length, seal);
    } catch (error) {
      if (!(error instanceof InvalidPrivateKeyError)) throw error;
      failure = error;
    }
  }
  throw new EditRefusedError(`No valid key came out of ${MAX_GENERATIONS} generations; nothing was changed.`, {
    cause: failure,
  });
}

function importKey(
  { algorithm }: AccountDraft,
  origin: Extract<KeyOrigin, { kind: 'file' }>,
  length: number,
  seal: (privateKey: SecretBytes) => NewKey,
): NewKey {
  try {
    return withAccountKeyFile(origin, algorithm, length, seal);
  } catch (error) {
    if (error instanceof KeyFileError) throw new EditRefusedError(error.message, { cause: error });
    if (!(error instanceof InvalidPrivateKeyError)) throw error;
    throw new EditRefusedError(`${origin.file}: ${error.message}`, { cause: error });
  }
}
