import type { ServerResponse } from 'node:http';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { answerRefusal } from '../envelope.ts';
import { overloaded } from '../http-refusal.ts';
import { HeldConnections } from './held-connections.ts';

/** When a refused caller may come back, seconds: as long as a single request waits at most. */
export const RETRY_AFTER_SECONDS = 1;

/** Time between two lines of the log that speak of refusals, milliseconds. */
const NOTICE_MS = 10_000;

/** Answers requests that are too many, counts them, and says so in the log now and then. */
export class OverloadRefusals {
  readonly #log: ServiceLog;
  readonly #load: () => object;
  readonly #held = new HeldConnections();
  #count = 0;
  #noticedAt = Number.NEGATIVE_INFINITY;

  /** @param load what there is to do, for the log */
  constructor(log: ServiceLog, load: () => object) {
    this.#log = log;
    this.#load = load;
  }

  /** How many were refused since the service started. */
  get count(): number {
    return this.#count;
  }

  /** 503 with `Retry-After` (RFC 9110 §15.6.4). A caller who went away meanwhile was not refused. */
  refuse(response: ServerResponse): void {
    if (response.destroyed) return;
    this.#count += 1;
    this.#held.holdAfter(response);
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    answerRefusal(response, overloaded(RETRY_AFTER_SECONDS));
    this.#notice();
  }

  #notice(): void {
    const now = performance.now();
    if (now - this.#noticedAt < NOTICE_MS) return;
    this.#noticedAt = now;
    this.#log.warn('More is asked for than can be done in time; requests are refused with OVERLOADED.', {
      refusedSinceStart: this.#count,
      ...this.#load(),
    });
  }
}
