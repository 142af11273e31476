import { resolve } from 'node:path';
import type { AccountEntry } from './account-schema.ts';

/** Which accounts of the file hold the key of one of them. */
export interface SameKeyAccounts {
  /** Their places in the file. */
  readonly sameKey: readonly number[];
  /** Number of accounts for which it is unknown, because an entry names no public key. */
  readonly uncompared: number;
}

/**
 * Finds the accounts that hold the same key as the one at `index`, as far as entries tell without
 * opening keys: by equal public keys, or HMAC key ids, or by the same key file.
 * @param folder at which relative paths of key files start
 */
export function findSameKey(accounts: readonly AccountEntry[], index: number, folder: string): SameKeyAccounts {
  const sameKey: number[] = [];
  let uncompared = 0;
  const { publicKey, key } = accounts[index] as AccountEntry;
  const file = keyFileOf({ key }, folder);
  for (const [place, other] of accounts.entries()) {
    if (place === index) continue;
    const isSameFile = file !== undefined && file === keyFileOf(other, folder);
    if (isSameFile || (publicKey !== undefined && publicKey === other.publicKey)) sameKey.push(place);
    else if (publicKey === undefined || other.publicKey === undefined) uncompared += 1;
  }
  return { sameKey, uncompared };
}

function keyFileOf({ key }: Pick<AccountEntry, 'key'>, folder: string): string | undefined {
  return 'file' in key ? resolve(folder, key.file) : undefined;
}
