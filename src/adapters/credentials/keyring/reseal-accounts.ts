import sodium from 'sodium-native';
import { renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import { type SecretBytes, toAccountName } from '../../../domain/model/account.ts';
import { AccountIssues } from '../../../domain/model/account-issues.ts';
import { CredentialLoadError, type Issue, OperatorError } from '../../../domain/model/errors.ts';
import { LockedBuffer } from '../../vault/locked-buffer.ts';
import {
  type FindMasterKey,
  openSealedKey,
  SEALED_KEY_LENGTHS,
  SealedKeyError,
  type SealedKeyIdentity,
  sealKey,
} from '../sealed-key.ts';
import type { MasterKey } from './master-key.ts';

interface ResealingInput {
  /** Path of the credentials file, for messages. */
  readonly location: string;
  readonly content: CredentialsContent;
  readonly written: WrittenCredentials;
  readonly keyFor: FindMasterKey;
  readonly onProgress?: RotationProgress | undefined;
}

/** Receives the numbers of finished and of all accounts. */
export type RotationProgress = (done: number, total: number) => void;

/**
 * Seals all keys under `target`, within locked memory, and opens each seal to compare the keys.
 * Each binds the key to the public key, so keys cannot be mixed up.
 * @returns the new document, and the number of resealed keys
 * @throws CredentialLoadError with the accounts whose keys do not open; OperatorError if a new seal
 * does not open to the same key
 */
export function resealAccounts(
  { location, content, written, keyFor, onProgress }: ResealingInput,
  target: MasterKey,
): { readonly written: WrittenCredentials; readonly count: number } {
  const [left, right] = [new LockedBuffer(SEALED_KEY_LENGTHS.max), new LockedBuffer(SEALED_KEY_LENGTHS.max)];
  const issues = new AccountIssues<Issue>();
  let count = 0;

  function opensTo(key: SecretBytes, identity: SealedKeyIdentity, sealed: string): boolean {
    const isSame = (again: SecretBytes) => key.length === again.length && sodium.sodium_memcmp(key, again);
    try {
      return openSealedKey(() => target, identity, sealed, SEALED_KEY_LENGTHS, right, isSame);
    } catch (error) {
      if (error instanceof SealedKeyError) return false;
      throw error;
    }
  }

  function reseal(identity: SealedKeyIdentity, sealed: string): string {
    return openSealedKey(keyFor, identity, sealed, SEALED_KEY_LENGTHS, left, (key) => {
      const text = sealKey(target, identity, key);
      if (opensTo(key, identity, text)) return text;
      throw new OperatorError('A resealed key differs, so nothing was changed. Check the memory of this machine.');
    });
  }

  try {
    const accounts = written.accounts.map((entry, index, { length }) => {
      onProgress?.(index, length);
      const account = content.accounts[index];
      if (account === undefined || account.publicKey === null || !('sealed' in account.key)) return entry;
      try {
        const sealed = reseal({ ...account, publicKey: account.publicKey }, account.key.sealed);
        count += 1;
        return { ...entry, key: { sealed } };
      } catch (error) {
        if (!(error instanceof SealedKeyError)) throw error;
        const place = { path: renderPath(['accounts', index]), name: toAccountName(account), field: '.key' };
        issues.add({ path: `${place.path}.key`, message: error.message }, place);
        return entry;
      }
    });
    if (issues.isEmpty) return { written: { ...written, accounts }, count };
    throw new CredentialLoadError(location, [...issues.report(accounts.length), ...issues.rest]);
  } finally {
    left.free();
    right.free();
  }
}
