import type { ServerResponse } from 'node:http';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { overloaded } from '../http-refusal.ts';
import { CountedRefusals } from './counted-refusals.ts';

/** When a refused caller may come back, seconds: as long as a single request waits at most. */
export const RETRY_AFTER_SECONDS = 1;

/** Answers requests that are more than can be done in time. */
export class OverloadRefusals {
  readonly #refusals: CountedRefusals;

  /** @param load what there is to do, for the log */
  constructor(log: ServiceLog, load: () => object) {
    const message = 'More is asked for than can be done in time; requests are refused with OVERLOADED.';
    this.#refusals = new CountedRefusals(log, { message, facts: load });
  }

  /** How many were refused since the service started. */
  get count(): number {
    return this.#refusals.count;
  }

  /** As {@link CountedRefusals.park}. */
  park(response: ServerResponse, goOn: () => void): boolean {
    return this.#refusals.park(response, goOn);
  }

  /** 503 with `Retry-After` (RFC 9110 §15.6.4). A caller who went away meanwhile was not refused. */
  refuse(response: ServerResponse): void {
    this.#refusals.refuse(response, overloaded(RETRY_AFTER_SECONDS));
  }
}
