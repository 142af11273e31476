import type { TimeSlice } from '../flow/time-slice.ts';
import { type Account, toAccountName } from '../model/account.ts';
import type { JsonValue } from '../model/json.ts';
import type { PermissionEntry } from '../model/permissions.ts';
import type { Platform } from '../model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../model/policy.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../model/text/jcs.ts';
import { type Change, compareThings, type Difference, listChangedFields } from './difference.ts';

/**
 * Fields of an account, as in the credentials file, that are named if they change. `platform`, last:
 * its platform has changed.
 */
export const CHANGED_FIELDS = [
  'alias',
  'environment',
  'algorithm',
  'createdAt',
  'overlapSeconds',
  'values',
  'platform',
] as const;

type ChangedField = (typeof CHANGED_FIELDS)[number];

/** Levels of a platform's objects that are compared field by field. */
const PLATFORM_DEPTH = 2;

/** What differs between two generations of the configuration, in configured order. */
export interface RegistryDifference {
  readonly accounts: Pick<Difference<Account>, 'added' | 'removed'> & ChangedAccounts;
  readonly platforms: Difference<Platform>;
  readonly policies: Difference<PolicyEntry>;
  readonly budgets: Difference<BudgetEntry>;
  /** Entries have no name: a changed one is removed and added. */
  readonly permissions: Difference<Pick<PermissionEntry, 'principals'>>;
}

/** Accounts of both generations by kind of change; one may have several. */
interface ChangedAccounts {
  /** Their key was opened again, the same or another one. */
  readonly reopened: readonly Change<Account>[];
  /** With another public key. */
  readonly rekeyed: readonly Change<Account>[];
  readonly disabled: readonly Change<Account>[];
  readonly enabled: readonly Change<Account>[];
  /** With their {@link CHANGED_FIELDS}; last those whose platform alone has changed. */
  readonly changed: readonly Change<Account, ChangedField>[];
  /** Number of accounts with a change other than `reopened`. */
  readonly updated: number;
}

/** Compares accounts, platforms, policies, budgets and permission entries of two generations. */
export async function compareRegistries(
  before: Registry,
  after: Registry,
  slice: TimeSlice,
): Promise<RegistryDifference> {
  const platforms = await compareThings(before.platforms, after.platforms, getPlatformId, slice, (one, other) =>
    listChangedFields(one, other, PLATFORM_DEPTH),
  );
  const changedPlatforms = new Set(platforms.changed.map((change) => change.after.platformId));
  const accounts = await compareThings(before.accounts(), after.accounts(), toAccountName, slice, (one, other) => {
    const fields = listChangedFields(one, other);
    return changedPlatforms.has(other.platformId) ? [...fields, 'platform'] : fields;
  });
  const [policies, budgets] = [
    await compareThings(before.policies.entries, after.policies.entries, getName, slice),
    await compareThings(before.policies.budgets, after.policies.budgets, getName, slice),
  ];
  const [entries, nextEntries] = [await namePermissions(before, slice), await namePermissions(after, slice)];
  const permissions = await compareThings(entries, nextEntries, getName, slice);
  const { added, removed, changed } = accounts;
  return {
    accounts: { added, removed, ...(await sortChanges(changed, slice)) },
    platforms,
    policies,
    budgets,
    permissions,
  };
}

function getPlatformId({ platformId }: { readonly platformId: string }): string {
  return platformId;
}

function getName({ name }: { readonly name: string }): string {
  return name;
}

/** Named by their text and, as equal ones may occur several times, the occurrence. */
async function namePermissions({ permissions }: Registry, slice: TimeSlice) {
  const counts = new Map<string, number>();
  const named: { readonly name: string; readonly principals: readonly string[] }[] = [];
  await slice.forEach(permissions.entries ?? [], (entry) => {
    const text = canonicalJson(entry as unknown as JsonValue);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    named.push({ name: `${count} ${text}`, principals: entry.principals });
  });
  return named;
}

async function sortChanges(changes: readonly Change<Account>[], slice: TimeSlice): Promise<ChangedAccounts> {
  const kinds = { reopened: noChanges(), rekeyed: noChanges(), disabled: noChanges(), enabled: noChanges() };
  const changed: Change<Account, ChangedField>[] = [];
  const ofPlatform: Change<Account, ChangedField>[] = [];
  let updated = 0;
  await slice.forEach(changes, (change) => {
    const isRekeyed = change.fields.includes('publicKey');
    const isSwitched = change.fields.includes('status');
    const fields = CHANGED_FIELDS.filter((field) => change.fields.includes(field));
    if (change.fields.includes('key')) kinds.reopened.push(change);
    if (isRekeyed) kinds.rekeyed.push(change);
    if (isSwitched) kinds[change.after.status === 'disabled' ? 'disabled' : 'enabled'].push(change);
    // As `platform` is the last field, it comes first only where it is the only one.
    if (fields.length > 0) (fields[0] === 'platform' ? ofPlatform : changed).push({ ...change, fields });
    if (isRekeyed || isSwitched || fields.length > 0) updated += 1;
  });
  return { ...kinds, updated, changed: [...changed, ...ofPlatform] };
}

function noChanges(): Change<Account>[] {
  return [];
}
