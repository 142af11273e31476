import { setImmediate as yieldNow } from 'node:timers/promises';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type {
  AccountAddition,
  AddedAccount,
  AdditionIssue,
  AdditionOptions,
  AdditionOutcome,
} from '../../../ports/credential-editor.ts';
import { getSecretDecoding } from '../entry-defaults.ts';
import type { MasterKey } from '../master-key/master-key.ts';
import type { CredentialsContent, WrittenCredentials } from '../schema/credentials-schema.ts';
import { additionKeyIssue, checkAdditions } from './addition-issues.ts';
import { assertReadableKeys } from './edit-checks.ts';
import type { EditedCredentials } from './edited-credentials.ts';
import { createKeyProvider, makePassphraseValue, newAccount, sealNewKey } from './new-key.ts';

/**
 * Keys per event-loop tick: freed locked memory is unmapped between ticks, and mappings are limited
 * (vm.max_map_count).
 */
const KEYS_PER_TICK = 50;

type WrittenAccount = WrittenCredentials['accounts'][number];

interface CreatedAccount {
  readonly account: AddedAccount;
  /** Its entry in the file; null for a dry run. */
  readonly entry: WrittenAccount | null;
}

/**
 * Adds many accounts in one change. Keys are sealed before locking, since scrypt is slow;
 * assumptions about the file are checked again under the lock.
 * @throws CredentialLoadError, EditRefusedError
 */
export async function addAccounts(
  credentials: EditedCredentials,
  additions: readonly AccountAddition[],
  options: AdditionOptions,
): Promise<AdditionOutcome> {
  const outcome = await tryToAdd(credentials, additions, options);
  // Retry after a concurrent rotation or relevant edit.
  return outcome ?? addAccounts(credentials, additions, options);
}

async function tryToAdd(
  credentials: EditedCredentials,
  additions: readonly AccountAddition[],
  options: AdditionOptions,
): Promise<AdditionOutcome | undefined> {
  const { content } = await credentials.read();
  const { issues, skipped } = checkAdditions(content, additions, options.skipExisting);
  const masterKeys = await credentials.openMasterKeys();
  try {
    assertReadableKeys(content, masterKeys);
    const { made, keyIssues } = await createAccounts(content, additions, skipped, options, masterKeys.primary);
    const all = [...issues, ...keyIssues].toSorted((left, right) => left.index - right.index);
    if (all.length > 0) return { outcome: 'refused', issues: all };
    const accounts = made.map((one) => one?.account ?? null);
    const entries = made.flatMap((one) => one?.entry ?? []);
    if (options.dryRun) return { outcome: 'checked', accounts };
    if (entries.length === 0) return { outcome: 'added', accounts };

    const fingerprint = getFingerprint(content, additions, options.skipExisting);
    const isWritten = await credentials.edit((reading) => {
      if (!credentials.isPrimary(masterKeys)) return undefined;
      if (getFingerprint(reading.content, additions, options.skipExisting) !== fingerprint) return undefined;
      assertReadableKeys(reading.content, masterKeys);
      return { ...reading.written, accounts: [...reading.written.accounts, ...entries] };
    });
    return isWritten ? { outcome: 'added', accounts } : undefined;
  } finally {
    masterKeys.close();
  }
}

/** Fingerprint of the file content that these additions depend on. */
function getFingerprint(
  content: CredentialsContent,
  additions: readonly AccountAddition[],
  skipExisting: boolean,
): string {
  const { issues, skipped } = checkAdditions(content, additions, skipExisting);
  const decodings = content.platforms.map((entry) => [entry.platformId, getSecretDecoding(entry)]);
  return JSON.stringify([issues, [...skipped], decodings]);
}

async function createAccounts(
  { platforms }: CredentialsContent,
  additions: readonly AccountAddition[],
  skipped: ReadonlySet<number>,
  { dryRun, onProgress }: AdditionOptions,
  masterKey: MasterKey,
): Promise<{ readonly made: readonly (CreatedAccount | null)[]; readonly keyIssues: readonly AdditionIssue[] }> {
  const decodings = new Map(platforms.map((entry) => [entry.platformId, getSecretDecoding(entry)]));
  const made: (CreatedAccount | null)[] = [];
  const keyIssues: AdditionIssue[] = [];
  for (const [index, addition] of additions.entries()) {
    if (index % KEYS_PER_TICK === 0) await yieldNow();
    onProgress?.(index, additions.length);
    if (skipped.has(index)) {
      made.push(null);
      continue;
    }
    const { draft, origin, lengths } = addition;
    const secretDecoding = decodings.get(draft.platformId) ?? getSecretDecoding(undefined);
    try {
      const withKey = createKeyProvider(origin, { algorithm: draft.algorithm, lengths, secretDecoding });
      made.push(dryRun ? checkAccount(addition, withKey) : sealAccount(addition, withKey, masterKey));
    } catch (error) {
      if (!(error instanceof EditRefusedError)) throw error;
      keyIssues.push({ index, ...additionKeyIssue(error, addition) });
    }
  }
  onProgress?.(additions.length, additions.length);
  return { made, keyIssues };
}

function checkAccount(
  { draft, origin, derivePublicKey, signPassphrase }: AccountAddition,
  withKey: ReturnType<typeof createKeyProvider>,
): CreatedAccount {
  // A dry run cannot predict a generated key.
  const publicKey =
    origin.kind === 'generate'
      ? null
      : withKey((privateKey) => {
          makePassphraseValue(origin, privateKey, signPassphrase);
          return derivePublicKey(privateKey);
        });
  return { account: { ...draft, publicKey }, entry: null };
}

function sealAccount(
  { draft, origin, derivePublicKey, signPassphrase }: AccountAddition,
  withKey: ReturnType<typeof createKeyProvider>,
  masterKey: MasterKey,
): CreatedAccount {
  const { profile, entry } = newAccount(
    draft,
    sealNewKey(masterKey, draft, origin, withKey, derivePublicKey, signPassphrase),
  );
  return { account: profile, entry };
}
