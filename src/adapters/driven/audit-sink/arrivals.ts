import type { PendingRecord } from './record-queue.ts';

/**
 * Records that came in this turn of the event loop, until they are handed over together: winston's two streams do the same for each entry, whatever it carries, so one
 * carries them all.
 */
export class Arrivals {
  readonly #take: (records: readonly PendingRecord[]) => void;
  #records: PendingRecord[] = [];

  /** @param take is given all of a turn in their order, never none */
  constructor(take: (records: readonly PendingRecord[]) => void) {
    this.#take = take;
  }

  /** Records that were not handed over yet. */
  get size(): number {
    return this.#records.length;
  }

  /** They are handed over at the end of this turn, if not before. */
  add(record: PendingRecord): void {
    if (this.#records.push(record) === 1) setImmediate(() => this.handOver());
  }

  /** Hands over at once what there is, for who can't wait for the end of the turn. */
  handOver(): void {
    if (this.#records.length === 0) return;
    const records = this.#records;
    this.#records = [];
    this.#take(records);
  }
}
