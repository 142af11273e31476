import type { ServerResponse } from 'node:http';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';
import { throttleLog } from '../middleware/throttle-log.ts';

/** Default interval between log lines, milliseconds. */
const LOG_INTERVAL_MS = 10_000;

/** Refuses and counts requests over a limit, with a throttled log line and no audit record. */
export class RefusalCounter {
  readonly #warn: () => void;
  #count = 0;

  /** @param facts logged with the count */
  constructor(log: ServiceLog, message: string, facts: () => object = () => ({}), intervalMs = LOG_INTERVAL_MS) {
    this.#warn = throttleLog(() => log.warn(message, { refusedSinceStart: this.#count, ...facts() }), intervalMs);
  }

  /** Refusals since the service started. */
  get count(): number {
    return this.#count;
  }

  /** Does not count callers that have gone. */
  refuse(response: ServerResponse, refusal: HttpRefusal): void {
    if (response.destroyed) return;
    this.#count += 1;
    respondWithRefusal(response, refusal);
    this.#warn();
  }
}
