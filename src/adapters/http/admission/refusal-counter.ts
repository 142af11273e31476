import type { ServerResponse } from 'node:http';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithRefusal } from '../envelope.ts';

/** Refuses and counts requests over a limit, with a throttled log line and no audit record. */
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

  /** Does not count callers that have gone. */
  refuse(response: ServerResponse, refusal: Refusal): void {
    if (response.destroyed) return;
    this.#count += 1;
    respondWithRefusal(response, refusal);
    const facts = { refusedSinceStart: this.#count, ...this.#facts() };
    this.#log.warn(this.#message, facts, { topic: this.#message });
  }
}
