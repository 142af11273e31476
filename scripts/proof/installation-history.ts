import type { Item } from './signature-proof.ts';

/** What an account was in one generation: its public key where it could sign, `disabled`, or not there (undefined). */
export type AccountState = { readonly publicKey: string } | 'disabled';

/** All accounts of one content of the credentials file, by number. */
export type Generation = ReadonlyMap<number, AccountState>;

interface Period {
  readonly generation: Generation;
  /** `Date.now()` before the file was put in place: from then on it may be in force. */
  readonly from: number;
  /** `Date.now()` after the service said that a later one is in force; nothing that is sent afterwards may see it. */
  until: number;
}

/** Which generations of accounts were in force when, as far as can be told from outside. */
export class InstallationHistory {
  readonly #periods: Period[] = [];

  /** Call it before the file is put in place. */
  begin(generation: Generation): void {
    this.#periods.push({ generation, from: Date.now(), until: Number.POSITIVE_INFINITY });
  }

  /** The service said that the last one is in force. */
  isInForce(): void {
    const until = Date.now();
    for (const period of this.#periods.slice(0, -1)) period.until = Math.min(period.until, until);
  }

  /** Generations that may have served a call that was sent and answered then. */
  possible(sentAt: number, receivedAt: number): readonly Generation[] {
    return this.#periods
      .filter(({ from, until }) => from <= receivedAt && sentAt <= until)
      .map(({ generation }) => generation);
  }
}

/** Public keys that an account has in any of these generations. */
export function keysOf(account: number, generations: readonly Generation[]): readonly string[] {
  const states = generations.map((generation) => generation.get(account));
  return [...new Set(states.flatMap((state) => (typeof state === 'object' ? [state.publicKey] : [])))];
}

/** Whether an item came out as it has to in a generation. @param signer whose signature it is, for an item that has one */
export function fits(
  { wish, signature, errorCode }: Item,
  signer: string | undefined,
  generation: Generation,
): boolean {
  const state = generation.get(wish.account);
  if (state === undefined) return errorCode === 'ACCOUNT_NOT_FOUND';
  if (state === 'disabled') return errorCode === 'ACCOUNT_INACTIVE';
  return signature !== null && signer === state.publicKey;
}
