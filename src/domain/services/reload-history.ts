import type { ReloadNote } from '../model/reload-note.ts';

/** How often this process has read its configuration. */
export interface ReloadCounts {
  readonly succeeded: number;
  readonly failed: number;
}

/** What this process knows of its readings of the configuration, for those who watch over it. */
export class ReloadHistory {
  #last: ReloadNote | null = null;
  #succeeded = 0;
  #failed = 0;

  /** Takes down how a reading went. */
  note(reload: ReloadNote): void {
    this.#last = reload;
    if (reload.outcome === 'success') this.#succeeded += 1;
    else this.#failed += 1;
  }

  /** The latest; null before the first has ended. */
  get last(): ReloadNote | null {
    return this.#last;
  }

  get counts(): ReloadCounts {
    return { succeeded: this.#succeeded, failed: this.#failed };
  }
}
