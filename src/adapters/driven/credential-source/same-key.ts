import { resolve } from 'node:path';
import type { AccountEntry } from './account-schema.ts';

/** Which accounts of the file hold the key of one of them. */
export interface SameKeyAccounts {
  /** Their places in the file. */
  readonly sameKey: readonly number[];
  /** Places of the accounts for which it is unknown, because an entry names no public key. */
  readonly uncompared: readonly number[];
}

/**
 * Finds the accounts that hold the same key as the one at `index`, as far as entries tell without
 * opening keys: those connected with it, also through others and whatever their status, by equal
 * public keys, or HMAC key ids, or by the same key file.
 * @param folder at which relative paths of key files start
 */
export function findSameKey(accounts: readonly AccountEntry[], index: number, folder: string): SameKeyAccounts {
  const marks = accounts.map((account) => marksOf(account, folder));
  const found = new Set([index]);
  const foundMarks = new Set(marks[index]);
  let before: number;
  do {
    before = found.size;
    for (const [place, own] of marks.entries()) {
      if (found.has(place) || !own.some((mark) => foundMarks.has(mark))) continue;
      found.add(place);
      for (const mark of own) foundMarks.add(mark);
    }
  } while (found.size > before);
  const isKeyKnown = [...found].some((place) => accounts[place]?.publicKey !== undefined);
  const places = [...accounts.keys()].filter((place) => place !== index);
  return {
    sameKey: places.filter((place) => found.has(place)),
    uncompared: places.filter(
      (place) => !found.has(place) && !(isKeyKnown && accounts[place]?.publicKey !== undefined),
    ),
  };
}

/** What two accounts have in common only when they hold the same key. */
function marksOf({ publicKey, key }: AccountEntry, folder: string): readonly string[] {
  return [
    ...(publicKey === undefined ? [] : [`public key ${publicKey}`]),
    ...('file' in key ? [`file ${resolve(folder, key.file)}`] : []),
  ];
}
