import type { CredentialsContent } from '../../adapters/driven/credential-source/credentials-schema.ts';
import {
  forgetPair,
  type MasterKeyPair,
  readMasterKeyPair,
} from '../../adapters/driven/credential-source/master-key/master-key-pair.ts';
import { MasterKeyRing } from '../../adapters/driven/credential-source/master-key/master-key-ring.ts';
import { countSealed, type SealedCounts } from '../../adapters/driven/credential-source/sealed-counts.ts';
import { type Finding, fail, ok, warning } from '../../machine/finding.ts';
import type { LockedMemoryUse } from '../../machine/memory-lock.ts';
import { KeyFileError } from '../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../secure-memory/locked-buffer.ts';
import type { Settings } from '../settings.ts';

const CHECK = 'sealed-accounts';

type MasterKeyFilesOf = Pick<Settings, 'masterKeyFile' | 'previousMasterKeyFile'>;

/**
 * Whether the master key files hold master keys, and those that the sealed accounts name. Plain keys are read into locked memory, for their ids, and wiped;
 * of those under a passphrase the id stands beside them. No account's key is opened.
 * @param content null when the credentials file could not be read
 */
export function checkMasterKeys(settings: MasterKeyFilesOf, content: CredentialsContent | null): readonly Finding[] {
  try {
    const pair = readPair(settings);
    forgetPair(pair);
    return content === null ? [] : [checkIds(settings, pair, countSealed(content))];
  } catch (error) {
    if (error instanceof KeyFileError) {
      return [fail(CHECK, error.message, 'The service does not load sealed accounts before this is right.')];
    }
    if (!(error instanceof MemoryLockError)) throw error;
    const message = 'not checked: memory to read the master key into could not be locked';
    return [warning(CHECK, message, 'Mend what is found under memlock, then run this again.')];
  }
}

/** What the master key files let the service take. Files that can't be read count as a plain key: what is wrong with them is found elsewhere. */
export function lockedMemoryUseOf(settings: MasterKeyFilesOf): LockedMemoryUse {
  try {
    const pair = readPair(settings);
    forgetPair(pair);
    const hasPassphrase = pair.primary.kind === 'wrapped' || pair.previous?.kind === 'wrapped';
    return { hasPreviousKey: pair.previous !== undefined, hasPassphrase };
  } catch (error) {
    if (!(error instanceof KeyFileError || error instanceof MemoryLockError)) throw error;
    return { hasPreviousKey: false, hasPassphrase: false };
  }
}

function checkIds(settings: MasterKeyFilesOf, pair: MasterKeyPair, counts: SealedCounts): Finding {
  const held = new Set([pair.primary.id, pair.previous?.id]);
  const unknown = [...counts].filter(([id]) => !held.has(id));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (unknown.length === 0) {
    return ok(CHECK, `the master keys that they name are there (sealed accounts: ${total}); none was opened`);
  }
  const ring = new MasterKeyRing(filesOf(settings), pair, new Map());
  return fail(
    CHECK,
    unknown.map(([id, count]) => `sealed under master key ${id}, which is not there: ${count} of ${total}`).join('\n'),
    `For a sealed key that names none of these: ${ring.describe()}. The service does not load the accounts before this is right.`,
  );
}

function readPair(settings: MasterKeyFilesOf): MasterKeyPair {
  return readMasterKeyPair(filesOf(settings));
}

function filesOf({ masterKeyFile, previousMasterKeyFile }: MasterKeyFilesOf) {
  return { primary: masterKeyFile, previous: previousMasterKeyFile };
}
