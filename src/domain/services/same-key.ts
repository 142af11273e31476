import type { ListedAccount } from '../../ports/credential-editor.ts';
import { isMacAlgorithm } from '../model/algorithm.ts';

/** Accounts by what is known of their keys, in the order of the configuration. */
export interface KeyComparison {
  /** They have the key of the account. */
  readonly sameKey: readonly ListedAccount[];
  /** They cannot be compared: they or the account have no public key. */
  readonly uncompared: readonly ListedAccount[];
  /** HMAC accounts that cannot be compared: their key IDs are computed differently. */
  readonly otherHmac: readonly ListedAccount[];
}

/**
 * Finds the other accounts with the key of one, without opening keys: connected, also transitively,
 * by public key, HMAC key ID or key file.
 */
export function compareKeys(accounts: readonly ListedAccount[], account: ListedAccount): KeyComparison {
  const found = new Set([account]);
  const marks = new Set(listKeyMarks(account));
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const one of accounts) {
      const own = listKeyMarks(one);
      if (!own.some((mark) => marks.has(mark))) continue;
      found.add(one);
      for (const mark of own) marks.add(mark);
    }
  }
  const known = [...found].filter(({ publicKey }) => publicKey !== null).map(({ algorithm }) => algorithm);
  const others = accounts.filter((one) => !found.has(one));
  const isComparable = ({ publicKey }: ListedAccount) => known.length > 0 && publicKey !== null;
  const isOtherHmac = ({ algorithm }: ListedAccount) => isMacAlgorithm(algorithm) && !known.includes(algorithm);
  return {
    sameKey: accounts.filter((one) => found.has(one) && one !== account),
    uncompared: others.filter((one) => !isComparable(one)),
    otherHmac: known.some(isMacAlgorithm) ? others.filter((one) => isComparable(one) && isOtherHmac(one)) : [],
  };
}

/** Values that only accounts with the same key share. */
function listKeyMarks({ publicKey, key }: ListedAccount): readonly string[] {
  return [
    ...(publicKey === null ? [] : [`public key ${publicKey}`]),
    ...(key.kind === 'file' ? [`file ${key.file}`] : []),
  ];
}
