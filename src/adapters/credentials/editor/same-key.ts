import { resolve } from 'node:path';
import { isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import type { ConfiguredAccount } from '../../../domain/model/configured-account.ts';

interface SameKeyAccounts {
  /** Indices in the file. */
  readonly sameKey: readonly number[];
  /** Indices of accounts that cannot be compared without a public key. */
  readonly uncompared: readonly number[];
  /** Indices of HMAC accounts that cannot be compared: their key IDs are computed differently. */
  readonly otherHmac: readonly number[];
}

/**
 * Finds accounts with the same key as `index`, without opening keys: connected, also transitively,
 * by public key, HMAC key id or key file.
 * @param folder base of relative paths
 */
export function findSameKey(accounts: readonly ConfiguredAccount[], index: number, folder: string): SameKeyAccounts {
  const marks = accounts.map((account) => getKeyMarks(account, folder));
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
  const isKeyKnown = [...found].some((place) => accounts[place]?.publicKey !== null);
  const others = [...accounts.keys()].filter((place) => !found.has(place));
  const isComparable = (place: number) => isKeyKnown && accounts[place]?.publicKey !== null;
  const known = [...found].filter(isComparable).map((place) => accounts[place]?.algorithm);
  const isOtherHmac = (place: number) => {
    const algorithm = accounts[place]?.algorithm;
    return algorithm !== undefined && isMacAlgorithm(algorithm) && !known.includes(algorithm);
  };
  const isHmac = known.some((algorithm) => algorithm !== undefined && isMacAlgorithm(algorithm));
  return {
    sameKey: [...found].filter((place) => place !== index).toSorted((left, right) => left - right),
    uncompared: others.filter((place) => !isComparable(place)),
    otherHmac: isHmac ? others.filter((place) => isComparable(place) && isOtherHmac(place)) : [],
  };
}

/** Values that only accounts with the same key share. */
function getKeyMarks({ publicKey, key }: ConfiguredAccount, folder: string): readonly string[] {
  return [
    ...(publicKey === null ? [] : [`public key ${publicKey}`]),
    ...('file' in key ? [`file ${resolve(folder, key.file)}`] : []),
  ];
}
