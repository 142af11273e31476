import type { RefreshState } from '../../domain/model/service-state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { ServiceLog } from '../../ports/service-log.ts';

const MS_PER_SECOND = 1000;

/** Dependencies of {@link KeyRefreshes}. */
export interface KeyRefreshParts {
  readonly seconds: number;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/**
 * Re-encrypts the keys in memory under a new key at an interval. Does not keep the process alive.
 */
export class KeyRefreshes {
  readonly #parts: KeyRefreshParts;
  readonly #timer: NodeJS.Timeout;
  #state: RefreshState = { succeeded: 0, failed: 0, lastAt: null };

  constructor(parts: KeyRefreshParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#refresh(), parts.seconds * MS_PER_SECOND).unref();
  }

  /** Refreshes since the start. */
  get state(): RefreshState {
    return this.#state;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #refresh(): Promise<void> {
    const { keyStore, clock, log } = this.#parts;
    try {
      await keyStore.refresh();
      this.#state = { ...this.#state, succeeded: this.#state.succeeded + 1, lastAt: clock.now() };
    } catch (cause) {
      this.#state = { ...this.#state, failed: this.#state.failed + 1 };
      const throttling = { topic: 'key refreshes' };
      log.error('Re-encryption of the keys in memory failed; they are unchanged.', { cause }, throttling);
    }
  }
}
