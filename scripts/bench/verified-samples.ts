import type { Reply } from '../load/load-process.ts';
import { itemsOf, signerOf } from '../proof/signature-proof.ts';
import type { SealedAccount } from '../stage/sealed-accounts.ts';

/** Of a reply; ethers takes a millisecond for each. */
const MOST_ITEMS = 5;

/**
 * Verifies signatures of replies, by code that has no part in making them, so that no errors are measured in their place.
 * @returns how many were verified
 * @throws Error for a signature that is not the account's over the data that was sent, and when there was none
 */
export function verifySamples(samples: readonly Reply[], accounts: readonly SealedAccount[]): number {
  const items = samples.flatMap((sample) => itemsOf(sample).slice(0, MOST_ITEMS));
  if (items.length === 0) throw new Error('There was no reply to verify.');
  for (const { wish, signature, errorCode } of items) {
    const publicKey = accounts[wish.account]?.publicKey ?? '';
    if (signature !== null && signerOf(wish, signature, [publicKey]) === publicKey) continue;
    throw new Error(`Account ${wish.account}, call ${wish.call}: ${errorCode ?? 'a signature that is not its own'}`);
  }
  return items.length;
}
