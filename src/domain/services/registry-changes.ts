import type { Account, AccountProfile } from '../model/account.ts';
import type { FixedValues } from '../model/fixed-values.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { Registry } from '../model/registry.ts';
import type { Turns } from './turns.ts';

/** How many accounts a reload brought, altered and took away. */
export interface RegistryChanges {
  readonly added: number;
  /** Accounts of which a visible field or the key (seen by its public key) changed. */
  readonly updated: number;
  readonly removed: number;
}

/** Compares two generations account by account. */
export async function countChanges(before: Registry, after: Registry, turns: Turns): Promise<RegistryChanges> {
  let added = 0;
  let updated = 0;
  for await (const account of differing(after, before, turns)) {
    const previous = before.account(account.platformId, account.accountId);
    if (previous === undefined) added += 1;
    else if (previous !== account && !isSameProfile(previous, account)) updated += 1;
  }
  const removed = before.accountCount - (after.accountCount - added);
  return { added, updated, removed };
}

/** The keys that one generation has and the other has not. */
export async function keysMissingFrom(
  other: Registry,
  generation: Registry,
  turns: Turns,
): Promise<readonly KeyHandle[]> {
  const keys: KeyHandle[] = [];
  for await (const { platformId, accountId, key } of differing(generation, other, turns)) {
    if (other.account(platformId, accountId)?.key.id !== key.id) keys.push(key);
  }
  return keys;
}

/** Accounts of a generation, without those that the other has in common with it at the same place: most of them after most reloads, and none of these is looked up. */
async function* differing(generation: Registry, other: Registry, turns: Turns): AsyncGenerator<Account> {
  const others = other.accounts();
  let index = 0;
  for (const account of generation.accounts()) {
    if (turns.isOver) await turns.next();
    if (others[index] !== account) yield account;
    index += 1;
  }
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
