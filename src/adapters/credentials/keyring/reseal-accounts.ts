import sodium from 'sodium-native';
import { renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import type { SecretBytes } from '../../../domain/model/account.ts';
import { AccountIssues } from '../../../domain/model/account-issues.ts';
import type { ConfiguredAccount } from '../../../domain/model/configured-account.ts';
import { CredentialLoadError, OperatorError } from '../../../domain/model/errors.ts';
import type { Issue } from '../../../domain/model/refusal.ts';
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

interface ResealedCredentials {
  readonly written: WrittenCredentials;
  /** Number of resealed keys. */
  readonly count: number;
}

export interface ResealingInput {
  /** Path of the credentials file, for messages. */
  readonly location: string;
  readonly content: CredentialsContent;
  readonly written: WrittenCredentials;
  readonly keyFor: FindMasterKey;
  readonly onProgress?: RotationProgress | undefined;
}

/** Receives finished and total steps: resealing and comparing each account. */
export type RotationProgress = (done: number, total: number) => void;

/**
 * Seals all keys under `target`, within locked memory. Each seal binds the key to the public key,
 * so keys cannot be mixed up.
 * @throws CredentialLoadError with the accounts whose keys do not open
 */
export function resealAccounts(input: ResealingInput, target: MasterKey): ResealedCredentials {
  const memory = new LockedBuffer(SEALED_KEY_LENGTHS.max);
  const issues = new AccountIssues<Issue>();
  let count = 0;
  try {
    const accounts = input.written.accounts.map((entry, index, { length }) => {
      input.onProgress?.(index, 2 * length);
      const sealed = getSealedAccount(input.content.accounts[index]);
      if (sealed === undefined) return entry;
      try {
        const key = open(input.keyFor, sealed, memory, (privateKey) => sealKey(target, sealed.identity, privateKey));
        count += 1;
        return { ...entry, key: { sealed: key } };
      } catch (error) {
        if (!(error instanceof SealedKeyError)) throw error;
        const { platformId, accountId } = sealed.identity;
        const account = { path: renderPath(['accounts', index]), name: `${platformId}/${accountId}`, field: '.key' };
        issues.add({ path: `${account.path}.key`, message: error.message }, account);
        return entry;
      }
    });
    if (!issues.isEmpty) {
      throw new CredentialLoadError(input.location, [...issues.report(accounts.length), ...issues.rest]);
    }
    return { written: { ...input.written, accounts }, count };
  } finally {
    memory.free();
  }
}

/**
 * Compares every sealed key of `after`, as read back from disk, with its predecessor.
 * @throws OperatorError on a difference
 */
export function assertEqualKeys(
  { content, keyFor, onProgress }: ResealingInput,
  after: CredentialsContent,
  target: MasterKey,
): void {
  const [left, right] = [new LockedBuffer(SEALED_KEY_LENGTHS.max), new LockedBuffer(SEALED_KEY_LENGTHS.max)];
  const targetAlone: FindMasterKey = (id) => {
    if (id === target.id) return target;
    throw new SealedKeyError(`is still sealed under master key ${id}`);
  };
  try {
    const { length } = content.accounts;
    for (const [index, account] of content.accounts.entries()) {
      onProgress?.(length + index, 2 * length);
      const old = getSealedAccount(account);
      if (old === undefined) continue;
      const fresh = getSealedAccount(after.accounts[index]);
      const isSame =
        fresh !== undefined &&
        open(keyFor, old, left, (one) =>
          open(targetAlone, { ...fresh, identity: old.identity }, right, (other) => isSameSecret(one, other)),
        );
      if (!isSame) throw new SealedKeyError('differs from the original');
    }
  } catch (error) {
    if (!(error instanceof SealedKeyError)) throw error;
    throw new OperatorError(
      `A resealed key ${error.message}, so the credentials file was not changed. Check the memory and the disk of this machine.`,
      { cause: error },
    );
  } finally {
    left.free();
    right.free();
  }
}

interface SealedAccount {
  readonly identity: SealedKeyIdentity;
  readonly text: string;
}

function open<Result>(
  keyFor: FindMasterKey,
  { identity, text }: SealedAccount,
  memory: LockedBuffer,
  use: (privateKey: SecretBytes) => Result,
): Result {
  return openSealedKey(keyFor, identity, text, SEALED_KEY_LENGTHS, memory, use);
}

function isSameSecret(one: SecretBytes, other: SecretBytes): boolean {
  return one.length === other.length && sodium.sodium_memcmp(one, other);
}

function getSealedAccount(entry: ConfiguredAccount | undefined): SealedAccount | undefined {
  if (entry === undefined || !('sealed' in entry.key)) return undefined;
  const text = entry.key.sealed;
  const { publicKey } = entry;
  if (publicKey === null) throw new Error('An account with a sealed key must have a publicKey.');
  return { identity: { ...entry, publicKey }, text };
}
