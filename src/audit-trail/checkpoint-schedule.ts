/** Most records that may stand between two checkpoints. */
export const CHECKPOINT_RECORDS = 1000;

/** From this time after the first record that no checkpoint covers, a checkpoint comes before any other record. Milliseconds. */
export const CHECKPOINT_MS = 60_000;

/**
 * When a checkpoint is due. Who writes the file and who verifies it ask the same rule, of the records' own times, so that a checkpoint that was taken out is missed.
 */
export class CheckpointSchedule {
  #uncovered = 0;
  /** Time, ISO 8601 UTC, from which on a checkpoint is due. */
  #dueAt = '';

  /** Records since the last checkpoint. */
  get uncovered(): number {
    return this.#uncovered;
  }

  /** The same, to go on with apart. */
  copy(): CheckpointSchedule {
    const copy = new CheckpointSchedule();
    copy.#uncovered = this.#uncovered;
    copy.#dueAt = this.#dueAt;
    return copy;
  }

  /** Whether a record of this time (ISO 8601 UTC with milliseconds) can only come behind a checkpoint. */
  isDueBefore(time: string): boolean {
    return this.#uncovered >= CHECKPOINT_RECORDS || (this.#uncovered > 0 && time >= this.#dueAt);
  }

  /** A record of this time was added. */
  count(time: string): void {
    if (this.#uncovered === 0) this.#dueAt = new Date(Date.parse(time) + CHECKPOINT_MS).toISOString();
    this.#uncovered += 1;
  }

  /** A checkpoint was added. */
  cover(): void {
    this.#uncovered = 0;
  }
}
