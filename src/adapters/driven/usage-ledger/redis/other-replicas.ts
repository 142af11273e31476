import type { Usage, UsageTotals } from '../../../../domain/model/usage.ts';
import { accountField, type IndexEntry } from './shared-counters.ts';
import { highestOf, highestOfTotals, NO_TOTALS, NO_USAGE, sumOf, sumOfTotals } from './usage-arithmetic.ts';

/** What is known of one replica. */
interface Replica {
  /** Whose changes were read, and up to which revision; null before the first time. */
  read: Pick<IndexEntry, 'writer' | 'revision'> | null;
  totals: UsageTotals;
  /** By account field. */
  readonly accounts: Map<string, Usage>;
}

/** Most replicas whose counters are kept. */
export const MAX_REPLICAS = 1000;

/** Most accounts that are kept of all of them, an account once for each replica that used it: they have to fit into memory. */
export const MAX_ACCOUNTS = 1_000_000;

/**
 * What the other replicas counted, as far as this one has read it. It is kept while Redis is away, or has lost it, until they have written it again; no value goes down.
 */
export class OtherReplicas {
  readonly #replicas = new Map<string, Replica>();
  readonly #maxAccounts: number;
  #accounts = 0;

  constructor(maxAccounts = MAX_ACCOUNTS) {
    this.#maxAccounts = maxAccounts;
  }

  /** How many they are. */
  get size(): number {
    return this.#replicas.size;
  }

  /** Adds what they counted of an account. */
  addTo(usage: Usage, platformId: string, accountId: string): Usage {
    if (this.#replicas.size === 0) return usage;
    const field = accountField(platformId, accountId);
    let sum = usage;
    for (const { accounts } of this.#replicas.values()) {
      const counted = accounts.get(field);
      if (counted !== undefined) sum = sumOf(sum, counted);
    }
    return sum;
  }

  totals(): UsageTotals {
    return [...this.#replicas.values()].reduce((sum, { totals }) => sumOfTotals(sum, totals), NO_TOTALS);
  }

  /** Whether what a replica counted can be taken down. */
  hasRoomFor(name: string): boolean {
    return this.#replicas.has(name) || this.#replicas.size < MAX_REPLICAS;
  }

  /**
   * Revision behind which there is something of a replica to be read, given what the index says of it.
   * @returns null when there is nothing; -1 to read all of it, because another process writes it, or because Redis lost it and has it again
   */
  readFrom(name: string, { writer, revision }: IndexEntry): number | null {
    const known = this.#replicas.get(name);
    if (known === undefined) return -1;
    if (known.read?.writer !== writer) return -1;
    if (known.read.revision === revision) return null;
    return known.read.revision < revision ? known.read.revision : -1;
  }

  /** Takes down what a replica counted of an account; returns false when there is no room for another account. */
  take(name: string, field: string, usage: Usage): boolean {
    const { accounts } = this.#replica(name);
    const known = accounts.get(field);
    if (known === undefined && this.#accounts === this.#maxAccounts) return false;
    if (known === undefined) this.#accounts += 1;
    accounts.set(field, highestOf(usage, known ?? NO_USAGE));
    return true;
  }

  /** Everything up to this revision was taken down. */
  finish(name: string, { writer, revision, totals }: IndexEntry): void {
    const replica = this.#replica(name);
    replica.read = { writer, revision };
    replica.totals = highestOfTotals(replica.totals, totals);
  }

  #replica(name: string): Replica {
    const known = this.#replicas.get(name);
    if (known !== undefined) return known;
    const replica: Replica = { read: null, totals: NO_TOTALS, accounts: new Map() };
    this.#replicas.set(name, replica);
    return replica;
  }
}
