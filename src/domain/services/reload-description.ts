import type { Hasher } from '../../ports/hasher.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { type Account, toAccountName } from '../model/account.ts';
import type { JsonValue } from '../model/json.ts';
import type { BudgetEntry, PolicyEntry } from '../model/policy.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../model/text/jcs.ts';
import type { Difference } from './difference.ts';
import type { RegistryDifference } from './registry-difference.ts';

/** Maximum entries of a list, unless stated otherwise. */
export const MAX_LISTED = 20;

/** Maximum entries of each list of keys, so that the longest record fits its line. */
export const MAX_LISTED_KEYS = 10;

/**
 * Maximum length of all entries of lists in one record, as JSON text. The rest of the record, such
 * as digests and the caller's name, fits in the remaining 10 KiB of its line.
 */
const MAX_CHARACTERS = 55_000;

/**
 * Result of a reload. Each field is documented in `reloadResponse` of
 * adapters/http/schemas/reload-responses.ts, against which the compiler checks it.
 */
export type ReloadResult = Awaited<ReturnType<typeof describeReload>>;

/**
 * What a reload put in force and changed, as documented (docs/auditors/audit-format.md): the same
 * plain data in the audit record, the service log and the response.
 * @param reloadedAt when loading began, ISO 8601 UTC
 */
export async function describeReload(
  reloadedAt: string,
  { accounts, platforms, policies, budgets, permissions }: RegistryDifference,
  before: Registry,
  after: Registry,
  hasher: Hasher,
  slice: TimeSlice,
) {
  const describeRule = (entry: PolicyEntry | BudgetEntry) => ({ name: entry.name, digest: digestRule(entry, hasher) });
  const listRules = ({ added, removed, changed }: Difference<PolicyEntry | BudgetEntry>) => ({
    added: listFirst(added, describeRule),
    removed: listFirst(removed, describeRule),
    changed: listFirst(changed, ({ before: previous, after: rule, fields }) => ({
      ...{ name: rule.name, fields, previousDigest: digestRule(previous, hasher), digest: digestRule(rule, hasher) },
    })),
  });
  const principals = new Set([...permissions.added, ...permissions.removed].flatMap((entry) => entry.principals));
  const lists = boundLists({
    accounts: {
      added: listFirst(accounts.added, toAccountName),
      removed: listFirst(accounts.removed, toAccountName),
      rekeyed: listFirst(accounts.rekeyed, ({ before: { publicKey: previousPublicKey }, after: account }) => ({
        ...{ account: toAccountName(account), previousPublicKey, publicKey: account.publicKey },
      })),
      disabled: listFirst(accounts.disabled, (change) => toAccountName(change.after)),
      enabled: listFirst(accounts.enabled, (change) => toAccountName(change.after)),
      changed: listFirst(accounts.changed, (change) => ({
        ...{ account: toAccountName(change.after), fields: change.fields },
      })),
    },
    keys: {
      added: listFirst(accounts.added, toAccountKey, MAX_LISTED_KEYS),
      replaced: listFirst(
        accounts.rekeyed,
        (change) => ({ ...toAccountKey(change.after), previousKeyId: change.before.keyId }),
        MAX_LISTED_KEYS,
      ),
      removed: listFirst(accounts.removed, toAccountKey, MAX_LISTED_KEYS),
    },
    platforms: {
      added: listFirst(platforms.added, ({ platformId }) => platformId),
      removed: listFirst(platforms.removed, ({ platformId }) => platformId),
      changed: listFirst(platforms.changed, (change) => change.after.platformId),
      changedFields: listFirst(platforms.changed, ({ after: { platformId: platform }, fields }) => ({
        ...{ platform, fields },
      })),
    },
    policies: listRules(policies),
    budgets: listRules(budgets),
    permissions: { principals: listFirst([...principals], String) },
  });
  const digests = toDigests(after);
  return {
    reloadedAt,
    changes: { added: accounts.added.length, updated: accounts.updated, removed: accounts.removed.length },
    ...lists,
    permissions: { added: permissions.added.length, removed: permissions.removed.length, ...lists.permissions },
    previous: toDigests(before),
    accountCount: after.accountCount,
    platformCount: after.platformCount,
    keysDigest: await digestKeys(after, hasher, slice),
    configurationDigest: digests.configurationDigest,
    permissionCount: after.permissions.entryCount,
    permissionsDigest: digests.permissionsDigest,
    policyCount: after.policies.entries.length,
    policiesDigest: digests.policiesDigest,
    budgetCount: after.policies.budgets.length,
    budgetsDigest: digests.budgetsDigest,
    masterKeyIds: digests.masterKeyIds,
  };
}

function toDigests({ origin }: Registry) {
  const { digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds } = origin;
  return { configurationDigest: digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds };
}

function toAccountKey(account: Account) {
  return { account: toAccountName(account), keyId: account.keyId };
}

/** `sha256:<64 hex>` of the canonical JSON (RFC 8785). */
function digestRule(entry: PolicyEntry | BudgetEntry, hasher: Hasher): string {
  return hasher.sha256(canonicalJson(entry as unknown as JsonValue));
}

/**
 * SHA-256 of which key each account has: of a line `platformId/accountId keyId` for each account,
 * in configured order, each terminated by a newline; `sha256:<64 hex>`, null without accounts.
 */
async function digestKeys(registry: Registry, hasher: Hasher, slice: TimeSlice): Promise<string | null> {
  if (registry.accountCount === 0) return null;
  let lines = '';
  await slice.forEach(registry.accounts(), (account) => {
    lines += `${toAccountName(account)} ${account.keyId}\n`;
  });
  return hasher.sha256(lines);
}

/** The first entries, and the count of all. */
interface List<Entry> {
  readonly entries: Entry[];
  readonly count: number;
}

type Lists = { readonly [list: string]: List<unknown> };

/** The entries of each list, and in `more` how many it omits. */
type BoundedLists<Group extends Lists> = {
  readonly [Name in keyof Group]: Group[Name] extends List<infer Entry> ? readonly Entry[] : never;
} & { readonly more: { readonly [Name in keyof Group]: number } };

/** The first things as entries of a list. */
function listFirst<Thing, Entry>(
  things: readonly Thing[],
  toEntry: (thing: Thing) => Entry,
  max = MAX_LISTED,
): List<Entry> {
  return { entries: things.slice(0, max).map(toEntry), count: things.length };
}

/** Shortens the longest of all lists until they take at most {@link MAX_CHARACTERS} as JSON. */
function boundLists<Groups extends { readonly [group: string]: Lists }>(
  groups: Groups,
): { readonly [Name in keyof Groups]: BoundedLists<Groups[Name]> } {
  const sizes = Object.values(groups)
    .flatMap((lists) => Object.values(lists))
    .map(({ entries }) => ({ entries, size: sizeOf(entries) }));
  while (sizes.reduce((sum, { size }) => sum + size, 0) > MAX_CHARACTERS) {
    const longest = sizes.reduce((left, right) => (right.size > left.size ? right : left));
    longest.size -= sizeOf([longest.entries.pop()]);
  }
  return mapMembers(groups, (lists) => ({
    ...mapMembers(lists, ({ entries }) => entries),
    more: mapMembers(lists, ({ entries, count }) => count - entries.length),
  })) as { readonly [Name in keyof Groups]: BoundedLists<Groups[Name]> };
}

function mapMembers<Value, Result>(members: { readonly [name: string]: Value }, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value)]));
}

function sizeOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + JSON.stringify(entry).length + 1, 0);
}
