import type { CredentialsContent } from './credentials-schema.ts';
import { masterKeyIdOfSealed } from './sealed-key-text.ts';

/** How many accounts are sealed under each master key, by its id. */
export type SealedCounts = ReadonlyMap<string, number>;

/** Counts the sealed keys of a credentials file by the master keys that they name. */
export function countSealed({ accounts }: CredentialsContent): SealedCounts {
  const counts = new Map<string, number>();
  for (const { key } of accounts) {
    if (!('sealed' in key)) continue;
    const id = masterKeyIdOfSealed(key.sealed);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Ids of the master keys that the sealed keys of a credentials file name. */
export function masterKeyIdsOf(content: CredentialsContent): ReadonlySet<string> {
  return new Set(countSealed(content).keys());
}
