import type { Item } from './signature-proof.ts';

/** State of an account in a generation: its public key if it may sign; undefined: missing. */
export type AccountState = { readonly publicKey: string } | 'disabled';

/** Accounts of a credentials file, by number. */
export type Generation = ReadonlyMap<number, AccountState>;

interface Period {
  readonly generation: Generation;
  /** `Date.now()` before the file was replaced: it may be in force from then on. */
  readonly from: number;
  /** `Date.now()` after a later one came into force; later requests cannot see this one. */
  until: number;
}

/** Generations of accounts and when they can be in force. */
export class InstallationHistory {
  readonly #periods: Period[] = [];

  /** Call before replacing the file. */
  begin(generation: Generation): void {
    this.#periods.push({ generation, from: Date.now(), until: Number.POSITIVE_INFINITY });
  }

  /** Call when the last one is in force. */
  isInForce(): void {
    const until = Date.now();
    for (const period of this.#periods.slice(0, -1)) period.until = Math.min(period.until, until);
  }

  /** Generations that may have served a call. */
  possible(sentAt: number, receivedAt: number): readonly Generation[] {
    return this.#periods
      .filter(({ from, until }) => from <= receivedAt && sentAt <= until)
      .map(({ generation }) => generation);
  }
}

/** Public keys of an account in these generations. */
export function listKeys(account: number, generations: readonly Generation[]): readonly string[] {
  const states = generations.map((generation) => generation.get(account));
  return [...new Set(states.flatMap((state) => (typeof state === 'object' ? [state.publicKey] : [])))];
}

/**
 * Whether an item is correct in a generation. @param signer verified public key of its signature,
 * if any
 */
export function matches(
  { task, signature, errorCode }: Item,
  signer: string | undefined,
  generation: Generation,
): boolean {
  const state = generation.get(task.account);
  if (state === undefined) return errorCode === 'ACCOUNT_NOT_FOUND';
  if (state === 'disabled') return errorCode === 'ACCOUNT_INACTIVE';
  return signature !== null && signer === state.publicKey;
}
