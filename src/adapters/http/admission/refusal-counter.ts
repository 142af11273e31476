import type { ServerResponse } from 'node:http';
import { CallerLeftError } from '../../../domain/model/errors.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';

/** Counts requests refused over a limit, with a throttled log line. */
export class RefusalCounter {
  readonly #log: ServiceLog;
  readonly #message: string;
  readonly #facts: () => object;
  #count = 0;

  /** @param facts logged with the count */
  constructor(log: ServiceLog, message: string, facts: () => object = () => ({})) {
    this.#log = log;
    this.#message = message;
    this.#facts = facts;
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
    const facts = { refusedSinceStart: this.#count, ...this.#facts() };
    this.#log.warn(this.#message, facts, { topic: this.#message });
    return refusal;
  }
}
