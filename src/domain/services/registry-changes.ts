import type { Hasher } from '../../ports/hasher.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { type Account, type AccountProfile, toAccountName } from '../model/account.ts';
import type { JsonValue } from '../model/json.ts';
import type { FixedValues } from '../model/payload-rule.ts';
import type { Platform } from '../model/platform.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../model/text/jcs.ts';

/** Maximum entries of each list of {@link RegistryChanges}; `more` counts the others. */
export const MAX_LISTED = 20;

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

/** Bounded lists, and in `more` how many entries each omits. */
type BoundedLists<Entries> = { readonly [Name in keyof Entries]: readonly Entries[Name][] } & {
  readonly more: { readonly [Name in keyof Entries]: number };
};

/**
 * Difference of two generations: the same plain data in the audit record, the service log and the
 * reload response. Accounts are named `platformId/accountId`, in configured order.
 */
export type RegistryChanges = {
  /** Numbers of accounts; updated: another visible field, key or platform. */
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  /** `disabled` and `enabled` list existing accounts. */
  readonly accounts: BoundedLists<{
    added: string;
    removed: string;
    rekeyed: RekeyedAccount;
    disabled: string;
    enabled: string;
  }>;
  readonly keys: KeyChanges;
  /** Ids; changed: another format, payload rule or other property. */
  readonly platforms: BoundedLists<{ added: string; removed: string; changed: string }>;
};

/** Compares two generations account by account. */
export async function compareRegistries(before: Registry, after: Registry, slice: TimeSlice): Promise<RegistryChanges> {
  const changedPlatforms = await findChangedPlatforms(before, after, slice);
  const [added, removed, rekeyed] = [new Listing<string>(), new Listing<string>(), new Listing<RekeyedAccount>()];
  const [disabled, enabled] = [new Listing<string>(), new Listing<string>()];
  const keys = {
    added: keyListing<AccountKey>(),
    replaced: keyListing<ReplacedKey>(),
    removed: keyListing<AccountKey>(),
  };
  let updated = 0;
  const compare = (account: Account) => {
    const { platformId, accountId, publicKey, status } = account;
    const previous = before.account(platformId, accountId);
    if (previous === undefined) {
      added.add(toAccountName(account));
      keys.added.add(toAccountKey(account));
      return;
    }
    if (changedPlatforms.has(platformId) || !isSameProfile(previous, account)) updated += 1;
    if (previous.publicKey !== publicKey) {
      rekeyed.add({ account: toAccountName(account), previousPublicKey: previous.publicKey, publicKey });
      keys.replaced.add({ ...toAccountKey(account), previousKeyId: previous.keyId });
    }
    if (previous.status !== status) (status === 'disabled' ? disabled : enabled).add(toAccountName(account));
  };
  await forEachDiffering({ of: after, from: before, changedPlatforms }, slice, compare);
  await forEachDiffering({ of: before, from: after }, slice, (account) => {
    if (after.account(account.platformId, account.accountId) !== undefined) return;
    removed.add(toAccountName(account));
    keys.removed.add(toAccountKey(account));
  });
  return {
    changes: { added: added.count, updated, removed: removed.count },
    accounts: toBoundedLists({ added, removed, rekeyed, disabled, enabled }),
    keys: toBoundedLists(keys),
    platforms: toBoundedLists({
      added: new Listing(after.platformIds.filter((id) => before.platform(id) === undefined)),
      removed: new Listing(before.platformIds.filter((id) => after.platform(id) === undefined)),
      changed: new Listing(changedPlatforms),
    }),
  };
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

/** The first entries, and the count of all. */
class Listing<Entry> {
  readonly entries: Entry[] = [];
  count = 0;
  readonly #max: number;

  constructor(entries: Iterable<Entry> = [], max = MAX_LISTED) {
    this.#max = max;
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    if (this.count < this.#max) this.entries.push(entry);
    this.count += 1;
  }
}

function toBoundedLists<Entries extends object>(
  listings: {
    readonly [Name in keyof Entries]: Listing<Entries[Name]>;
  },
): BoundedLists<Entries> {
  const all = Object.entries<Listing<unknown>>(listings);
  const more = Object.fromEntries(all.map(([name, { entries, count }]) => [name, count - entries.length]));
  return { ...Object.fromEntries(all.map(([name, { entries }]) => [name, entries])), more } as BoundedLists<Entries>;
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

function isSameProfile(left: AccountProfile, right: AccountProfile): boolean {
  return (
    left.alias === right.alias &&
    left.status === right.status &&
    left.environment === right.environment &&
    left.algorithm === right.algorithm &&
    left.publicKey === right.publicKey &&
    left.createdAt === right.createdAt &&
    hasSameValues(left.values ?? {}, right.values ?? {})
  );
}

/** Whether two sets of fixed values are equal. */
export function hasSameValues(left: FixedValues, right: FixedValues): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
