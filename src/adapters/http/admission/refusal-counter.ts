import type { ServerResponse } from 'node:http';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithRefusal } from '../envelope.ts';
import { throttleLog } from '../middleware/throttle-log.ts';

/** Refuses and counts requests over a limit, with a throttled log line and no audit record. */
export class RefusalCounter {
  readonly #warn: () => void;
  #count = 0;

  /** @param facts logged with the count */
  constructor(log: ServiceLog, message: string, facts: () => object = () => ({})) {
    this.#warn = throttleLog((count) => log.warn(message, { count, refusedSinceStart: this.#count, ...facts() }));
  }

  /** Refusals since the service started. */
  get count(): number {
    return this.#count;
  }

  /** Does not count callers that have gone. */
  refuse(response: ServerResponse, refusal: Refusal): void {
    if (response.destroyed) return;
    this.#count += 1;
    respondWithRefusal(response, refusal);
    this.#warn();
  }
}
