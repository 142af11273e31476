import { setImmediate as nextTurn } from 'node:timers/promises';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type {
  AccountAddition,
  AddedAccount,
  AdditionFault,
  AdditionOptions,
  AdditionOutcome,
} from '../../../ports/credential-editor.ts';
import { checkAdditions } from './addition-faults.ts';
import { additionKeyFault } from './addition-key-fault.ts';
import type { CredentialsContent, WrittenCredentials } from './credentials-schema.ts';
import { assertReadableKeys } from './edit-checks.ts';
import type { EditedCredentials } from './edited-credentials.ts';
import type { MasterKey } from './master-key/master-key.ts';
import { lenderOf, newAccount, sealNewKey } from './new-key.ts';
import { secretDecodingOf } from './wanted-key.ts';

/**
 * Keys that are read in one turn of the event loop: locked memory that was freed is unmapped between turns, and mappings are bounded
 * (vm.max_map_count); and progress is told between them.
 */
const KEYS_IN_A_TURN = 50;

type WrittenAccount = WrittenCredentials['accounts'][number];

/** What became of the additions, in their order; null for one that was skipped. */
interface MadeAccount {
  readonly account: AddedAccount;
  /** Its entry in the file; null where nothing is to be written. */
  readonly entry: WrittenAccount | null;
}

/**
 * Adds many accounts to a credentials file in one change. Keys are read and sealed outside of the lock, since a keystore's scrypt can take a second; what the file
 * said before is checked again under it.
 * @throws CredentialLoadError, EditRefusedError
 */
export async function addAccounts(
  credentials: EditedCredentials,
  additions: readonly AccountAddition[],
  options: AdditionOptions,
): Promise<AdditionOutcome> {
  const outcome = await tryToAdd(credentials, additions, options);
  // A rotation of the master key came between, or a change that concerns these accounts: once more, as it is now.
  return outcome ?? addAccounts(credentials, additions, options);
}

async function tryToAdd(
  credentials: EditedCredentials,
  additions: readonly AccountAddition[],
  options: AdditionOptions,
): Promise<AdditionOutcome | undefined> {
  const { content } = await credentials.read();
  const { faults, skipped } = checkAdditions(content, additions, options.skipExisting);
  const masterKeys = await credentials.openMasterKeys();
  try {
    assertReadableKeys(content, masterKeys);
    const { made, keyFaults } = await makeAccounts(content, additions, skipped, options, masterKeys.primary);
    const all = [...faults, ...keyFaults].toSorted((left, right) => left.index - right.index);
    if (all.length > 0) return { outcome: 'refused', faults: all };
    const accounts = made.map((one) => one?.account ?? null);
    const entries = made.flatMap((one) => one?.entry ?? []);
    if (options.dryRun) return { outcome: 'checked', accounts };
    if (entries.length === 0) return { outcome: 'added', accounts };

    const basis = basisOf(content, additions, options.skipExisting);
    const isWritten = await credentials.edit((reading) => {
      if (!credentials.isPrimary(masterKeys)) return undefined;
      if (basisOf(reading.content, additions, options.skipExisting) !== basis) return undefined;
      assertReadableKeys(reading.content, masterKeys);
      return { ...reading.written, accounts: [...reading.written.accounts, ...entries] };
    });
    return isWritten ? { outcome: 'added', accounts } : undefined;
  } finally {
    masterKeys.close();
  }
}

/** What of the file decides how these accounts are added: a text that is the same as long as that is. */
function basisOf(content: CredentialsContent, additions: readonly AccountAddition[], skipExisting: boolean): string {
  const { faults, skipped } = checkAdditions(content, additions, skipExisting);
  const decodings = content.platforms.map((entry) => [entry.platformId, secretDecodingOf(entry)]);
  return JSON.stringify([faults, [...skipped], decodings]);
}

async function makeAccounts(
  { platforms }: CredentialsContent,
  additions: readonly AccountAddition[],
  skipped: ReadonlySet<number>,
  { dryRun, onProgress }: AdditionOptions,
  masterKey: MasterKey,
): Promise<{ readonly made: readonly (MadeAccount | null)[]; readonly keyFaults: readonly AdditionFault[] }> {
  const decodings = new Map(platforms.map((entry) => [entry.platformId, secretDecodingOf(entry)]));
  const made: (MadeAccount | null)[] = [];
  const keyFaults: AdditionFault[] = [];
  for (const [index, addition] of additions.entries()) {
    if (index % KEYS_IN_A_TURN === 0) await nextTurn();
    onProgress?.(index, additions.length);
    if (skipped.has(index)) {
      made.push(null);
      continue;
    }
    const { draft, origin, lengths } = addition;
    const secretDecoding = decodings.get(draft.platformId) ?? secretDecodingOf(undefined);
    try {
      const lend = lenderOf(origin, { algorithm: draft.algorithm, lengths, secretDecoding });
      made.push(dryRun ? checked(addition, lend) : sealed(addition, lend, masterKey));
    } catch (error) {
      if (!(error instanceof EditRefusedError)) throw error;
      keyFaults.push({ index, ...additionKeyFault(error, addition) });
    }
  }
  onProgress?.(additions.length, additions.length);
  return { made, keyFaults };
}

function checked({ draft, origin, derivePublicKey }: AccountAddition, lend: ReturnType<typeof lenderOf>): MadeAccount {
  // What would be generated now would be another key than the one that comes.
  const publicKey = origin.kind === 'generate' ? null : lend(derivePublicKey);
  return { account: { ...draft, publicKey }, entry: null };
}

function sealed(
  { draft, derivePublicKey }: AccountAddition,
  lend: ReturnType<typeof lenderOf>,
  masterKey: MasterKey,
): MadeAccount {
  const { profile, entry } = newAccount(draft, sealNewKey(masterKey, draft, lend, derivePublicKey));
  return { account: profile, entry };
}
