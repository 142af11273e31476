import { UNKNOWN_PLATFORM } from '../../../domain/model/unknown-platform.ts';
import type { AccountAddition, AdditionFault } from '../../../ports/credential-editor.ts';
import { type AccountEntry, accountSchema } from './account-schema.ts';
import { accountFaults } from './conflict-faults.ts';
import { pathText } from './credential-fault.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import { platformOf } from './entry-defaults.ts';
import { schemaFaults, schemaMessage } from './schema-faults.ts';

/** What the credentials file says of many additions, before any of their keys is read. */
export interface AdditionCheck {
  readonly faults: readonly AdditionFault[];
  /** Those whose accounts are there already and are to be left as they are. */
  readonly skipped: ReadonlySet<number>;
}

/** No draft has a key yet, and the schema wants one. */
const NO_KEY: AccountEntry['key'] = { file: '-' };

/** Checks each draft by itself, against the file, and against those before it. */
export function checkAdditions(
  content: CredentialsContent,
  additions: readonly AccountAddition[],
  skipExisting: boolean,
): AdditionCheck {
  const platforms = new Map(content.platforms.map((entry) => [entry.platformId, platformOf(entry)]));
  // No id contains a slash.
  const existing = new Set(content.accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
  const seen = new Set<string>();
  const skipped = new Set<number>();
  const faults: AdditionFault[] = [];

  for (const [index, { draft }] of additions.entries()) {
    const tell = (field: string, message: string) => faults.push({ index, field, message });
    const name = `${draft.platformId}/${draft.accountId}`;
    const { success, error } = accountSchema.safeParse({ ...draft, key: NO_KEY }, { error: schemaMessage });
    if (!success) for (const { path, message } of schemaFaults(error.issues)) tell(pathText(path), message);
    if (seen.has(name)) tell('accountId', 'is that of an earlier account of the same platform');
    seen.add(name);
    if (existing.has(name) && skipExisting) skipped.add(index);
    if (existing.has(name)) {
      if (!skipExisting) tell('accountId', 'exists already on its platform');
      continue;
    }
    const platform = platforms.get(draft.platformId);
    if (platform === undefined) tell('platformId', UNKNOWN_PLATFORM);
    else for (const { path, message } of accountFaults([], draft, platform)) tell(pathText(path), message);
  }
  return { faults, skipped };
}
