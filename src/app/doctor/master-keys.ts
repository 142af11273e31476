import { EnvelopeSource, type LoadWrappingKey } from '../../adapters/credentials/master-key/envelope-source.ts';
import type { StoredEnvelope } from '../../adapters/credentials/master-key/master-key-file.ts';
import {
  type MasterKeyPair,
  readMasterKeyPair,
  wipeMasterKeyPair,
} from '../../adapters/credentials/master-key/master-key-pair.ts';
import { MasterKeyRing } from '../../adapters/credentials/master-key/master-key-ring.ts';
import type { CredentialsContent } from '../../adapters/credentials/schema/credentials-schema.ts';
import { countSealedKeys, type SealedKeyCounts } from '../../adapters/credentials/validated-credentials.ts';
import { KeyFileError } from '../../adapters/key-files/secret-file.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import type { LockedMemoryUse } from '../../adapters/machine/memory-lock-check.ts';
import { MemoryLockError } from '../../adapters/vault/locked-buffer.ts';
import type { Settings } from '../settings/settings.ts';

const CHECK = 'sealed-accounts';

type MasterKeySettings = Pick<Settings, 'masterKeyFile' | 'previousMasterKeyFile'>;

/**
 * Checks that the master key files hold the keys that sealed accounts name. Reads plain keys into
 * locked memory for their ids and wipes them; opens no account's key.
 * @param content null if the credentials file could not be read
 */
export function checkMasterKeys(settings: MasterKeySettings, content: CredentialsContent | null): readonly Finding[] {
  try {
    const pair = readPair(settings);
    wipeMasterKeyPair(pair);
    const sources = describeSources(pair);
    return [...sources, ...(content === null ? [] : [checkIds(settings, pair, countSealedKeys(content))])];
  } catch (error) {
    if (error instanceof KeyFileError) {
      return [fail(CHECK, error.message, 'The service does not load sealed accounts until this is fixed.')];
    }
    if (!(error instanceof MemoryLockError)) throw error;
    const message = 'not checked: memory for the master key could not be locked';
    return [warning(CHECK, message, 'Fix memlock first, then run this again.')];
  }
}

/**
 * Locked memory that the master keys need. Unreadable files count as plain keys; other checks
 * report them.
 */
export function getLockedMemoryUse(settings: MasterKeySettings): LockedMemoryUse {
  try {
    const pair = readPair(settings);
    wipeMasterKeyPair(pair);
    const hasPassphrase = [pair.primary, pair.previous].some(
      (stored) => stored !== undefined && stored.kind !== 'plain',
    );
    return { hasPreviousKey: pair.previous !== undefined, hasPassphrase };
  } catch (error) {
    if (!(error instanceof KeyFileError || error instanceof MemoryLockError)) throw error;
    return { hasPreviousKey: false, hasPassphrase: false };
  }
}

/** What opens keys in envelopes, which {@link checkMasterKeyOpening} tries. */
function describeSources({ primary, previous }: MasterKeyPair): readonly Finding[] {
  return [primary, previous].flatMap((stored) => {
    if (stored?.kind !== 'enveloped') return [];
    const { source, wrappingKey } = stored.envelope;
    return [
      ok('master-key-source', `${stored.file}: master key ${stored.id} is wrapped by ${source}, key ${wrappingKey}`),
    ];
  });
}

/**
 * Opens keys in envelopes through their service or token, as a start does, and wipes them. Other
 * keys are not opened.
 */
export async function checkMasterKeyOpening(
  settings: MasterKeySettings,
  load: LoadWrappingKey,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const stored of readOpenable(settings)) {
    try {
      await new EnvelopeSource(stored.file, stored.envelope, load).open(() => undefined);
      findings.push(
        ok('master-key-opening', `${stored.file}: ${stored.envelope.source} opened master key ${stored.id}`),
      );
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      findings.push(
        fail('master-key-opening', error.message, 'The service does not load sealed accounts until this is fixed.'),
      );
    }
  }
  return findings;
}

/** Envelopes of readable files; other checks report unreadable ones. */
function readOpenable(settings: MasterKeySettings): readonly StoredEnvelope[] {
  try {
    const pair = readPair(settings);
    wipeMasterKeyPair(pair);
    return [pair.primary, pair.previous].filter((stored) => stored?.kind === 'enveloped');
  } catch (error) {
    if (error instanceof KeyFileError || error instanceof MemoryLockError) return [];
    throw error;
  }
}

function checkIds(settings: MasterKeySettings, pair: MasterKeyPair, counts: SealedKeyCounts): Finding {
  const known = new Set([pair.primary.id, pair.previous?.id]);
  const unknown = [...counts].filter(([id]) => !known.has(id));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (unknown.length === 0) {
    return ok(CHECK, `all their master keys are available (sealed accounts: ${total}); no account was opened`);
  }
  const ring = new MasterKeyRing(toFileNames(settings), pair, new Map());
  return fail(
    CHECK,
    unknown
      .map(([id, count]) => `sealed under master key ${id}, which is not available: ${count} of ${total}`)
      .join('\n'),
    `For each of these accounts: ${ring.describe()}. The service does not load the accounts until this is fixed.`,
  );
}

function readPair(settings: MasterKeySettings): MasterKeyPair {
  return readMasterKeyPair(toFileNames(settings));
}

function toFileNames({ masterKeyFile, previousMasterKeyFile }: MasterKeySettings) {
  return { primary: masterKeyFile, previous: previousMasterKeyFile };
}
