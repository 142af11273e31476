import { renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import { toAccountName } from '../../../domain/model/account.ts';
import { toSecretDecoding } from '../../../domain/model/platform.ts';
import type {
  AccountAddition,
  AddedAccount,
  AdditionIssue,
  AdditionOptions,
  AdditionOutcome,
  PlannedAddition,
} from '../../../ports/credential-editor.ts';
import type { CredentialsSnapshot } from '../credentials-file.ts';
import type { MasterKey } from '../keyring/master-key.ts';
import { validateCredentials } from '../validate-credentials.ts';
import type { Edit, WrittenAccount } from './edited-credentials.ts';
import { isIssue, makeNewKeys, type NewKey } from './new-keys.ts';

/** An addition, and its index among all that are planned. */
interface IndexedAddition extends AccountAddition {
  readonly index: number;
}

/**
 * Adds accounts to a document, all or none; a refusal has the issues of all.
 * @param openMasterKey opens the key that seals theirs, once the accounts have no issue; null: a
 * dry run
 */
export async function addAccounts(
  { content, written }: CredentialsSnapshot,
  planned: readonly PlannedAddition[],
  onProgress: AdditionOptions['onProgress'],
  openMasterKey: (() => Promise<MasterKey>) | null,
): Promise<Edit<AdditionOutcome>> {
  const existing = new Set(content.accounts.map(toAccountName));
  const additions = planned.flatMap(({ addition }, index): IndexedAddition[] =>
    addition === null ? [] : [{ ...addition, index }],
  );
  const unknown = additions.filter(({ draft }) => !existing.has(toAccountName(draft)));
  const duplicates = additions.filter(({ draft }) => existing.has(toAccountName(draft)));
  const issues: AdditionIssue[] = [
    ...planned.flatMap(({ issue }, index) => (issue === undefined ? [] : [{ index, ...issue }])),
    ...duplicates.map(({ index }) => ({ index, field: 'accountId', message: 'already exists on its platform' })),
    ...findIssues(written, unknown),
  ];
  const masterKey = issues.length === 0 && openMasterKey !== null ? await openMasterKey() : null;

  const decodings = new Map(content.platforms.map((entry) => [entry.platformId, toSecretDecoding(entry)]));
  const requests = additions.map(({ draft, ...request }) => ({
    ...{ ...request, account: draft },
    secretDecoding: decodings.get(draft.platformId) ?? toSecretDecoding(undefined),
  }));
  const keys = await makeNewKeys(requests, masterKey, (done) => onProgress?.(done, planned.length));
  for (const [nth, made] of keys.entries()) {
    if (isIssue(made)) issues.push({ index: additions[nth]?.index ?? nth, ...made });
  }
  if (issues.length > 0) {
    const sorted = issues.toSorted((left, right) => left.index - right.index);
    return { written: undefined, report: () => ({ outcome: 'refused', issues: sorted }) };
  }
  const accounts: (AddedAccount | null)[] = planned.map(() => null);
  const entries = additions.map(({ draft, index }, nth) => {
    const { publicKey, sealed, ...made } = keys[nth] as NewKey;
    const values = { ...draft.values, ...made.values };
    const account = { ...draft, publicKey, ...(Object.keys(values).length === 0 ? {} : { values }) };
    accounts[index] = account;
    return toEntry(account, sealed);
  });
  return {
    written: entries.length === 0 ? undefined : { ...written, accounts: [...written.accounts, ...entries] },
    report: () => ({ outcome: masterKey === null ? 'checked' : 'added', accounts }),
  };
}

/** Key of an account that has none yet, because the schema requires one. */
const NO_KEY: WrittenAccount['key'] = { file: '-' };

/** The entry in the order of the file's fields. */
function toEntry(account: AddedAccount, sealed: string | null): WrittenAccount {
  const { platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt, values } = account;
  return {
    ...{ platformId, accountId, alias, status, environment, algorithm },
    ...{ publicKey: publicKey ?? undefined, createdAt, values, key: sealed === null ? NO_KEY : { sealed } },
  };
}

/** What a load would say of the accounts without their keys. */
function findIssues(written: WrittenCredentials, additions: readonly IndexedAddition[]): readonly AdditionIssue[] {
  const first = written.accounts.length;
  const drafts = additions.map(({ draft }) => toEntry({ ...draft, publicKey: null }, null));
  const { issues } = validateCredentials({ ...written, accounts: [...written.accounts, ...drafts] });
  return issues.map(({ path: [list, index, ...field], message, shared }) => {
    const addition = list === 'accounts' && typeof index === 'number' ? additions[index - first] : undefined;
    if (addition === undefined) throw new Error('Only new accounts can have issues.');
    return { index: addition.index, field: renderPath(field), message: shared ?? message };
  });
}
