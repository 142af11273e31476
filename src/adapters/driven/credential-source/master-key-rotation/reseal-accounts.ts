import sodium from 'sodium-native';
import { AccountFaults } from '../../../../domain/model/account-faults.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../domain/model/errors.ts';
import type { Issue } from '../../../../domain/model/issue.ts';
import type { SecretBytes } from '../../../../domain/model/secret-bytes.ts';
import { LockedBuffer } from '../../../../secure-memory/locked-buffer.ts';
import type { AccountEntry } from '../account-schema.ts';
import { pathText } from '../credential-fault.ts';
import type { CredentialsContent, WrittenCredentials } from '../credentials-schema.ts';
import type { MasterKey } from '../master-key/master-key.ts';
import {
  type MasterKeys,
  openSealedKey,
  SEALED_KEY_LENGTHS,
  SealedKeyError,
  type SealedKeyIdentity,
  sealKey,
} from '../sealed-key.ts';
import { masterKeyIdOf } from '../sealed-key-text.ts';

/** A credentials file with every sealed key under one master key. */
export interface ResealedCredentials {
  readonly written: WrittenCredentials;
  /** How many keys were sealed anew. */
  readonly count: number;
}

/** What is read and with what it is opened. */
export interface ResealingInput {
  /** Path of the credentials file, for messages. */
  readonly location: string;
  readonly content: CredentialsContent;
  readonly written: WrittenCredentials;
  readonly masterKeys: MasterKeys;
  readonly onProgress?: RotationProgress | undefined;
}

/** Told how many steps of how many are done: each account is sealed anew, and compared with what it was. */
export type RotationProgress = (done: number, total: number) => void;

/**
 * Seals every key that is sealed under another master key under `target`. Private keys go from locked memory into locked memory; that each is the one of its
 * account is certain from its seal, which binds it to the public key.
 * @throws CredentialLoadError that names accounts whose keys do not open, and how many there are
 */
export function resealAccounts(input: ResealingInput, target: MasterKey): ResealedCredentials {
  const memory = new LockedBuffer(SEALED_KEY_LENGTHS.max);
  const faults = new AccountFaults<Issue>();
  let count = 0;
  try {
    const accounts = input.written.accounts.map((entry, index, { length }) => {
      input.onProgress?.(index, 2 * length);
      const sealed = sealedKeyOf(input.content.accounts[index]);
      if (sealed === undefined || sealed.masterKeyId === target.id) return entry;
      try {
        const key = open(input.masterKeys, sealed, memory, (privateKey) =>
          sealKey(target, sealed.identity, privateKey),
        );
        count += 1;
        return { ...entry, key: { sealed: key } };
      } catch (error) {
        if (!(error instanceof SealedKeyError)) throw error;
        const { platformId, accountId } = sealed.identity;
        const account = { path: pathText(['accounts', index]), name: `${platformId}/${accountId}`, field: '.key' };
        faults.add({ path: `${account.path}.key`, message: error.message }, account);
        return entry;
      }
    });
    if (!faults.isEmpty) {
      throw new CredentialLoadError(input.location, [...faults.report(accounts.length), ...faults.rest]);
    }
    return { written: { ...input.written, accounts }, count };
  } finally {
    memory.free();
  }
}

/**
 * Opens every sealed key of `after`, as it was read back from disk, under `target` alone and compares it with the one of `before`.
 * @throws EditRefusedError when one is not the same
 */
export function assertSameKeys(
  { content, masterKeys, onProgress }: ResealingInput,
  after: CredentialsContent,
  target: MasterKey,
): void {
  const [left, right] = [new LockedBuffer(SEALED_KEY_LENGTHS.max), new LockedBuffer(SEALED_KEY_LENGTHS.max)];
  const targetAlone: MasterKeys = {
    keyFor: (id) => {
      if (id === target.id) return target;
      throw new SealedKeyError(`is still sealed under master key ${id}`);
    },
  };
  try {
    const { length } = content.accounts;
    for (const [index, account] of content.accounts.entries()) {
      onProgress?.(length + index, 2 * length);
      const old = sealedKeyOf(account);
      if (old === undefined) continue;
      const fresh = sealedKeyOf(after.accounts[index]);
      const isSame =
        fresh !== undefined &&
        open(masterKeys, old, left, (one) =>
          open(targetAlone, { ...fresh, identity: old.identity }, right, (other) => isSameSecret(one, other)),
        );
      if (!isSame) throw new SealedKeyError('holds another key than before');
    }
  } catch (error) {
    if (!(error instanceof SealedKeyError)) throw error;
    throw new EditRefusedError(
      `A key that was sealed anew ${error.message}, so the credentials file is as it was. This should not happen: check the memory and the disk of this machine.`,
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
  readonly masterKeyId: string;
}

function open<Result>(
  masterKeys: MasterKeys,
  { identity, text }: SealedAccount,
  memory: LockedBuffer,
  use: (privateKey: SecretBytes) => Result,
): Result {
  return openSealedKey(masterKeys, identity, text, SEALED_KEY_LENGTHS, memory, use);
}

function isSameSecret(one: SecretBytes, other: SecretBytes): boolean {
  return one.length === other.length && sodium.sodium_memcmp(one, other);
}

function sealedKeyOf(entry: AccountEntry | undefined): SealedAccount | undefined {
  if (entry === undefined || !('sealed' in entry.key)) return undefined;
  const text = entry.key.sealed;
  const [masterKeyId, { publicKey }] = [masterKeyIdOf(text), entry];
  if (masterKeyId === undefined || publicKey === undefined) {
    throw new Error('A checked account with a sealed key has a publicKey and a well-formed text.');
  }
  return { identity: { ...entry, publicKey }, text, masterKeyId };
}
