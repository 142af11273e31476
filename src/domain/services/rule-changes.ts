import type { Hasher } from '../../ports/hasher.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import type { JsonValue } from '../model/json.ts';
import type { PermissionEntry } from '../model/permissions.ts';
import type { BudgetEntry, PolicyEntry } from '../model/policy.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../model/text/jcs.ts';
import { type BoundedLists, Listing, toBoundedLists } from './bounded-lists.ts';

/** A policy or budget: its name, and `sha256:<64 hex>` of its canonical JSON (RFC 8785). */
export type NamedRuleDigest = { readonly name: string; readonly digest: string };

/** A policy or budget with another definition. */
export type ChangedRule = NamedRuleDigest & { readonly previousDigest: string };

/** Policies, or budgets, in configured order. */
export type NamedRuleChanges = BoundedLists<{
  added: NamedRuleDigest;
  removed: NamedRuleDigest;
  changed: ChangedRule;
}>;

/** Changed policies, budgets and permissions. The order of entries does not count. */
export type RuleChanges = {
  readonly policies: NamedRuleChanges;
  readonly budgets: NamedRuleChanges;
  /** Numbers of entries, and their principals. A changed entry is a removed and an added one. */
  readonly permissions: { readonly added: number; readonly removed: number } & BoundedLists<{ principals: string }>;
};

/** Listings behind {@link NamedRuleChanges}. */
type NamedRuleListings = {
  readonly added: Listing<NamedRuleDigest>;
  readonly removed: Listing<NamedRuleDigest>;
  readonly changed: Listing<ChangedRule>;
};

/** Lists that can still be shortened, see {@link toRuleChanges}. */
export interface ComparedRules {
  readonly policies: NamedRuleListings;
  readonly budgets: NamedRuleListings;
  readonly permissions: {
    readonly added: number;
    readonly removed: number;
    readonly lists: { readonly principals: Listing<string> };
  };
}

/** Compares policies, budgets and permissions of two generations. */
export async function compareRules(
  before: Registry,
  after: Registry,
  hasher: Hasher,
  slice: TimeSlice,
): Promise<ComparedRules> {
  return {
    policies: await compareNamed(before.policies.entries, after.policies.entries, hasher, slice),
    budgets: await compareNamed(before.policies.budgets, after.policies.budgets, hasher, slice),
    permissions: await comparePermissions(before.permissions.entries ?? [], after.permissions.entries ?? [], slice),
  };
}

/** The lists as plain data. */
export function toRuleChanges({ policies, budgets, permissions: { lists, ...counts } }: ComparedRules): RuleChanges {
  return {
    policies: toBoundedLists(policies),
    budgets: toBoundedLists(budgets),
    permissions: { ...counts, ...toBoundedLists<{ principals: string }>(lists) },
  };
}

async function compareNamed(
  before: readonly (PolicyEntry | BudgetEntry)[],
  after: readonly (PolicyEntry | BudgetEntry)[],
  hasher: Hasher,
  slice: TimeSlice,
): Promise<NamedRuleListings> {
  const added = new Listing<NamedRuleDigest>();
  const removed = new Listing<NamedRuleDigest>();
  const changed = new Listing<ChangedRule>();
  const [previous, current] = [await textByName(before, slice), await textByName(after, slice)];
  await slice.forEach(current, ([name, text]) => {
    const earlier = previous.get(name);
    if (earlier === undefined) added.add({ name, digest: hasher.sha256(text) });
    else if (earlier !== text) {
      changed.add({ name, previousDigest: hasher.sha256(earlier), digest: hasher.sha256(text) });
    }
  });
  await slice.forEach(previous, ([name, text]) => {
    if (!current.has(name)) removed.add({ name, digest: hasher.sha256(text) });
  });
  return { added, removed, changed };
}

async function textByName(
  entries: readonly (PolicyEntry | BudgetEntry)[],
  slice: TimeSlice,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  await slice.forEach(entries, (entry) => {
    texts.set(entry.name, toText(entry));
  });
  return texts;
}

/** Equal entries may occur several times. */
async function comparePermissions(
  before: readonly PermissionEntry[],
  after: readonly PermissionEntry[],
  slice: TimeSlice,
): Promise<ComparedRules['permissions']> {
  const unmatched = new Map<string, PermissionEntry[]>();
  await slice.forEach(before, (entry) => {
    const text = toText(entry);
    const equal = unmatched.get(text);
    if (equal === undefined) unmatched.set(text, [entry]);
    else equal.push(entry);
  });
  const added: PermissionEntry[] = [];
  await slice.forEach(after, (entry) => {
    if (unmatched.get(toText(entry))?.pop() === undefined) added.push(entry);
  });
  const removed = [...unmatched.values()].flat();
  const principals = new Set([...added, ...removed].flatMap((entry) => entry.principals));
  return { added: added.length, removed: removed.length, lists: { principals: new Listing(principals) } };
}

/** Independent of member order. */
function toText(entry: PolicyEntry | BudgetEntry | PermissionEntry): string {
  return canonicalJson(entry as unknown as JsonValue);
}
