import type { Hasher } from '../../ports/hasher.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { type Account, toAccountName } from '../model/account.ts';
import type { JsonValue } from '../model/json.ts';
import type { FixedValues } from '../model/payload-rule.ts';
import type { Platform } from '../model/platform.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../model/text/jcs.ts';
import { type BoundedLists, fitTogether, Listing, toBoundedLists } from './bounded-lists.ts';
import { compareRules, type RuleChanges, toRuleChanges } from './rule-changes.ts';

/** An account with a new key; public keys in their algorithm's text form. */
export type RekeyedAccount = {
  readonly account: string;
  readonly previousPublicKey: string;
  readonly publicKey: string;
};

/** Maximum entries of each list of {@link KeyChanges}, so that the longest record fits its line. */
export const MAX_LISTED_KEYS = 10;

/** An account and the short name of its key, see `Account.keyId`. */
export type AccountKey = { readonly account: string; readonly keyId: string };

/** An account with a new key. */
export type ReplacedKey = AccountKey & { readonly previousKeyId: string };

/** Keys that differ between two generations. */
export type KeyChanges = BoundedLists<{ added: AccountKey; replaced: ReplacedKey; removed: AccountKey }>;

const PLAIN_FIELDS = ['alias', 'environment', 'algorithm', 'createdAt', 'overlapSeconds'] as const;

/** Fields of an account, as in the credentials file; `platform`: its platform has changed. */
export const CHANGED_FIELDS = [...PLAIN_FIELDS, 'values', 'platform'] as const;

/** See {@link CHANGED_FIELDS}. */
export type ChangedField = (typeof CHANGED_FIELDS)[number];

/** An account that changed in something else than its key or status. */
export type ChangedAccount = { readonly account: string; readonly fields: readonly ChangedField[] };

/**
 * Difference of two generations: the same plain data in the audit record, the service log and the
 * reload response. Accounts are named `platformId/accountId`, in configured order. Each list has at
 * most {@link MAX_LISTED} entries; the longest are shortened further so that all fit in one record.
 */
export type RegistryChanges = RuleChanges & {
  /** Numbers of accounts; updated: another field, key or platform. */
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  /**
   * `disabled` and `enabled` list existing accounts. `changed` lists accounts with changed fields
   * first, then those of which only the platform changed.
   */
  readonly accounts: BoundedLists<{
    added: string;
    removed: string;
    rekeyed: RekeyedAccount;
    disabled: string;
    enabled: string;
    changed: ChangedAccount;
  }>;
  readonly keys: KeyChanges;
  /** Ids; changed: another format, payload rule or other property. */
  readonly platforms: BoundedLists<{ added: string; removed: string; changed: string }>;
  /** Of the replaced generation, see `RegistryOrigin`. */
  readonly previous: {
    readonly configurationDigest: string | null;
    readonly permissionsDigest: string | null;
    readonly policiesDigest: string | null;
    readonly budgetsDigest: string | null;
    readonly masterKeyIds: readonly string[];
  };
};

/** Compares two generations account by account, and their rules. */
export async function compareRegistries(
  before: Registry,
  after: Registry,
  hasher: Hasher,
  slice: TimeSlice,
): Promise<RegistryChanges> {
  const changedPlatforms = await findChangedPlatforms(before, after, slice);
  const accounts = {
    added: new Listing<string>(),
    removed: new Listing<string>(),
    rekeyed: new Listing<RekeyedAccount>(),
    disabled: new Listing<string>(),
    enabled: new Listing<string>(),
    changed: new Listing<ChangedAccount>(),
  };
  const changedByPlatform = new Listing<ChangedAccount>();
  const keys = {
    added: keyListing<AccountKey>(),
    replaced: keyListing<ReplacedKey>(),
    removed: keyListing<AccountKey>(),
  };
  let updated = 0;
  const compare = (account: Account) => {
    const { platformId, accountId, publicKey, status } = account;
    const name = toAccountName(account);
    const previous = before.account(platformId, accountId);
    if (previous === undefined) {
      accounts.added.add(name);
      keys.added.add(toAccountKey(account));
      return;
    }
    const isRekeyed = previous.publicKey !== publicKey;
    const isSwitched = previous.status !== status;
    const fields = listChangedFields(previous, account);
    const isPlatformChanged = changedPlatforms.has(platformId);
    if (isRekeyed || isSwitched || isPlatformChanged || fields.length > 0) updated += 1;
    if (isRekeyed) {
      accounts.rekeyed.add({ account: name, previousPublicKey: previous.publicKey, publicKey });
      keys.replaced.add({ ...toAccountKey(account), previousKeyId: previous.keyId });
    }
    if (isSwitched) (status === 'disabled' ? accounts.disabled : accounts.enabled).add(name);
    if (fields.length > 0) {
      accounts.changed.add({ account: name, fields: isPlatformChanged ? [...fields, 'platform'] : fields });
    } else if (isPlatformChanged) {
      changedByPlatform.add({ account: name, fields: ['platform'] });
    }
  };
  await forEachDiffering({ of: after, from: before, changedPlatforms }, slice, compare);
  accounts.changed.append(changedByPlatform);
  await forEachDiffering({ of: before, from: after }, slice, (account) => {
    if (after.account(account.platformId, account.accountId) !== undefined) return;
    accounts.removed.add(toAccountName(account));
    keys.removed.add(toAccountKey(account));
  });
  const platforms = {
    added: new Listing(after.platformIds.filter((id) => before.platform(id) === undefined)),
    removed: new Listing(before.platformIds.filter((id) => after.platform(id) === undefined)),
    changed: new Listing(changedPlatforms),
  };
  const rules = await compareRules(before, after, hasher, slice);
  fitTogether([accounts, keys, platforms, rules.policies, rules.budgets, rules.permissions.lists].flatMap(listAll));
  return {
    changes: { added: accounts.added.count, updated, removed: accounts.removed.count },
    accounts: toBoundedLists(accounts),
    keys: toBoundedLists(keys),
    platforms: toBoundedLists(platforms),
    ...toRuleChanges(rules),
    previous: toPrevious(before),
  };
}

function listAll(listings: { readonly [name: string]: Listing<unknown> }): readonly Listing<unknown>[] {
  return Object.values(listings);
}

function toPrevious({ origin }: Registry): RegistryChanges['previous'] {
  const { digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds } = origin;
  return { configurationDigest: digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds };
}

/**
 * SHA-256 of which key each account has: of a line `platformId/accountId keyId` for each account,
 * in configured order, each terminated by a newline; `sha256:<64 hex>`, null without accounts.
 */
export async function digestKeys(registry: Registry, hasher: Hasher, slice: TimeSlice): Promise<string | null> {
  if (registry.accountCount === 0) return null;
  let lines = '';
  await slice.forEach(registry.accounts(), (account) => {
    lines += `${toAccountName(account)} ${account.keyId}\n`;
  });
  return hasher.sha256(lines);
}

function toAccountKey(account: Account): AccountKey {
  return { account: toAccountName(account), keyId: account.keyId };
}

function keyListing<Entry>(): Listing<Entry> {
  return new Listing([], MAX_LISTED_KEYS);
}

/** Accounts of one generation whose keys the other lacks. */
export async function findMissingKeys(
  other: Registry,
  generation: Registry,
  slice: TimeSlice,
): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  await forEachDiffering({ of: generation, from: other }, slice, (account) => {
    const { platformId, accountId, key } = account;
    if (other.account(platformId, accountId)?.key.id !== key.id) accounts.push(account);
  });
  return accounts;
}

/**
 * Whether both generations decide alike about requests of this account: its profile apart from key
 * and fixed values, its platform, and all permissions, policies and budgets are equal.
 */
export function isRuledAlike(account: Account, before: Registry, after: Registry): boolean {
  const { platformId, accountId } = account;
  const now = after.account(platformId, accountId);
  const [platform, platformNow] = [before.platform(platformId), after.platform(platformId)];
  if (now === undefined || platform === undefined || platformNow === undefined) return false;
  return (
    now.status === account.status &&
    now.environment === account.environment &&
    now.algorithm === account.algorithm &&
    before.origin.permissionsDigest === after.origin.permissionsDigest &&
    before.origin.policiesDigest === after.origin.policiesDigest &&
    before.origin.budgetsDigest === after.origin.budgetsDigest &&
    toText(platform) === toText(platformNow)
  );
}

/** Accounts of one generation to compare with another. */
interface Comparison {
  readonly of: Registry;
  readonly from: Registry;
  /** Platforms whose accounts are all compared. */
  readonly changedPlatforms?: ReadonlySet<string>;
}

/** Skips accounts that both generations share at the same index, as most do, without a lookup. */
function forEachDiffering(
  { of, from, changedPlatforms = new Set() }: Comparison,
  slice: TimeSlice,
  visit: (account: Account) => void,
): Promise<void> {
  const others = from.accounts();
  return slice.forEach(of.accounts().entries(), ([index, account]) => {
    if (others[index] !== account || changedPlatforms.has(account.platformId)) visit(account);
  });
}

/** Ids of the platforms that differ between both generations, in configured order. */
async function findChangedPlatforms(before: Registry, after: Registry, slice: TimeSlice): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  await slice.forEach(after.platformIds, (platformId) => {
    const [previous, platform] = [before.platform(platformId), after.platform(platformId)];
    if (previous !== undefined && platform !== undefined && toText(previous) !== toText(platform)) {
      changed.add(platformId);
    }
  });
  return changed;
}

/** Independent of member order. */
function toText(platform: Platform): string {
  return canonicalJson(platform as unknown as JsonValue);
}

/** Fields that differ, apart from key and status. */
function listChangedFields(left: Account, right: Account): readonly ChangedField[] {
  const fields: ChangedField[] = [];
  for (const field of PLAIN_FIELDS) if (left[field] !== right[field]) fields.push(field);
  if (!hasSameValues(left.values ?? {}, right.values ?? {})) fields.push('values');
  return fields;
}

/** Whether two sets of fixed values are equal. */
export function hasSameValues(left: FixedValues, right: FixedValues): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
