import type { KeyStore } from '../../ports/key-store.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import type { Turns } from './turns.ts';

/** Keys that are forgotten in one step: a fraction of a millisecond. */
const KEYS_PER_STEP = 500;

/** Has a store forget these keys, however many, in turns with requests. */
export async function discardKeys(keyStore: KeyStore, keys: readonly KeyHandle[], turns: Turns): Promise<void> {
  for (let first = 0; first < keys.length; first += KEYS_PER_STEP) {
    if (first > 0) await turns.pause();
    for (const key of keys.slice(first, first + KEYS_PER_STEP)) keyStore.discard(key);
  }
}
