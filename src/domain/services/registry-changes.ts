import type { Account, AccountProfile } from '../model/account.ts';
import type { FixedValues } from '../model/fixed-values.ts';
import type { JsonValue } from '../model/json.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { Platform } from '../model/platform.ts';
import type { Registry } from '../model/registry.ts';
import { canonicalJson } from '../payload/jcs.ts';
import type { TimeSlice } from './time-slice.ts';

/**
 * Entries that each list of {@link RegistryChanges} has at the most; `more` counts those left out.
 */
export const MAX_LISTED = 20;

/** An account that has another key than before; public keys in the text form of its algorithm. */
export type RekeyedAccount = {
  readonly account: string;
  readonly previousPublicKey: string;
  readonly publicKey: string;
};

/** Lists of bounded length, and in `more` how many entries each of them leaves out. */
type BoundedLists<Entries> = { readonly [Name in keyof Entries]: readonly Entries[Name][] } & {
  readonly more: { readonly [Name in keyof Entries]: number };
};

/**
 * How one generation differs from the one before: plain data, the same in the audit record, the
 * service log and the response of a reload. Accounts are named `platformId/accountId`, in
 * configured order.
 */
export type RegistryChanges = {
  /** Numbers of accounts; updated ones have another visible field, key or platform than before. */
  readonly changes: { readonly added: number; readonly updated: number; readonly removed: number };
  /** `disabled` and `enabled` are accounts that were there before with the other status. */
  readonly accounts: BoundedLists<{
    added: string;
    removed: string;
    rekeyed: RekeyedAccount;
    disabled: string;
    enabled: string;
  }>;
  /** Ids; changed ones have another format, payload rule or other property than before. */
  readonly platforms: BoundedLists<{ added: string; removed: string; changed: string }>;
};

/** Compares two generations account by account. */
export async function compareRegistries(before: Registry, after: Registry, slice: TimeSlice): Promise<RegistryChanges> {
  const changedPlatforms = await findChangedPlatforms(before, after, slice);
  const [added, removed, rekeyed] = [new Listing<string>(), new Listing<string>(), new Listing<RekeyedAccount>()];
  const [disabled, enabled] = [new Listing<string>(), new Listing<string>()];
  let updated = 0;
  const compare = (account: Account) => {
    const { platformId, accountId, publicKey, status } = account;
    const previous = before.account(platformId, accountId);
    if (previous === undefined) {
      added.add(nameOf(account));
      return;
    }
    if (changedPlatforms.has(platformId) || !isSameProfile(previous, account)) updated += 1;
    if (previous.publicKey !== publicKey) {
      rekeyed.add({ account: nameOf(account), previousPublicKey: previous.publicKey, publicKey });
    }
    if (previous.status !== status) (status === 'disabled' ? disabled : enabled).add(nameOf(account));
  };
  await forEachDiffering({ of: after, from: before, changedPlatforms }, slice, compare);
  await forEachDiffering({ of: before, from: after }, slice, (account) => {
    if (after.account(account.platformId, account.accountId) === undefined) removed.add(nameOf(account));
  });
  return {
    changes: { added: added.count, updated, removed: removed.count },
    accounts: boundedLists({ added, removed, rekeyed, disabled, enabled }),
    platforms: boundedLists({
      added: new Listing(after.platformIds.filter((id) => before.platform(id) === undefined)),
      removed: new Listing(before.platformIds.filter((id) => after.platform(id) === undefined)),
      changed: new Listing(changedPlatforms),
    }),
  };
}

/** The keys that one generation has and the other has not. */
export async function keysMissingFrom(
  other: Registry,
  generation: Registry,
  slice: TimeSlice,
): Promise<readonly KeyHandle[]> {
  const keys: KeyHandle[] = [];
  await forEachDiffering({ of: generation, from: other }, slice, ({ platformId, accountId, key }) => {
    if (other.account(platformId, accountId)?.key.id !== key.id) keys.push(key);
  });
  return keys;
}

/** The first entries that are added, and how many were. */
class Listing<Entry> {
  readonly entries: Entry[] = [];
  count = 0;

  constructor(entries: Iterable<Entry> = []) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    if (this.count < MAX_LISTED) this.entries.push(entry);
    this.count += 1;
  }
}

function boundedLists<Entries extends object>(
  listings: {
    readonly [Name in keyof Entries]: Listing<Entries[Name]>;
  },
): BoundedLists<Entries> {
  const all = Object.entries<Listing<unknown>>(listings);
  const more = Object.fromEntries(all.map(([name, { entries, count }]) => [name, count - entries.length]));
  return { ...Object.fromEntries(all.map(([name, { entries }]) => [name, entries])), more } as BoundedLists<Entries>;
}

/** Which accounts of one generation to compare with another. */
interface Comparison {
  readonly of: Registry;
  readonly from: Registry;
  /** Ids of platforms of which all accounts are compared. */
  readonly changedPlatforms?: ReadonlySet<string>;
}

/**
 * Skips accounts that both generations have in common at the same place: most of them after most
 * reloads, and none of these is looked up.
 */
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

/**
 * Ids of the platforms that both generations have and that are not the same in both, in configured
 * order.
 */
async function findChangedPlatforms(before: Registry, after: Registry, slice: TimeSlice): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  await slice.forEach(after.platformIds, (platformId) => {
    const [previous, platform] = [before.platform(platformId), after.platform(platformId)];
    if (previous !== undefined && platform !== undefined && textOf(previous) !== textOf(platform)) {
      changed.add(platformId);
    }
  });
  return changed;
}

/** Equal for platforms that are alike, in whichever order their members were written. */
function textOf(platform: Platform): string {
  return canonicalJson(platform as unknown as JsonValue);
}

function nameOf({ platformId, accountId }: AccountProfile): string {
  return `${platformId}/${accountId}`;
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

/** Whether templates find the same in both. */
export function hasSameValues(left: FixedValues, right: FixedValues): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
