import type { ServerResponse } from 'node:http';
import { CallerLeftError } from '../../../domain/model/errors.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';

/** Counts requests refused over a limit, with a throttled log line. */
export class RefusalCounter {
  readonly #warn: () => void;
  #count = 0;

  /** @param facts logged with the count */
  constructor(log: ServiceLog, message: string, facts: () => object = () => ({})) {
    this.#warn = () => log.warn(message, { refusedSinceStart: this.#count, ...facts() }, { topic: message });
  }

  /** Refusals since the service started. */
  get count(): number {
    return this.#count;
  }

  /**
   * Counts a refusal and returns it.
   * @throws CallerLeftError for a caller that has gone, which is not counted
   */
  refuse(response: ServerResponse, refusal: Refusal): Refusal {
    if (response.destroyed) throw new CallerLeftError();
    this.#count += 1;
    this.#warn();
    return refusal;
  }
}
