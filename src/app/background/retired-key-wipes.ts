import type { RetiredKeys } from '../../domain/services/retired-keys.ts';

/** Longest time that a key outlives its overlap, milliseconds. */
const INTERVAL_MS = 1000;

/** Wipes replaced keys when their overlap is over. Does not keep the process alive. */
export class RetiredKeyWipes {
  readonly #timer: NodeJS.Timeout;

  /** @param intervalMs shorter for tests */
  constructor(retiredKeys: Pick<RetiredKeys, 'wipeExpired'>, intervalMs = INTERVAL_MS) {
    this.#timer = setInterval(() => retiredKeys.wipeExpired(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
