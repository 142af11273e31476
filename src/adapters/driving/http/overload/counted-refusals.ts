import type { ServerResponse } from 'node:http';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { answerRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';
import { noticesTogether } from '../notices-together.ts';

/**
 * Time between two lines of the log that report refusals, milliseconds, where nothing else is
 * given.
 */
const NOTICE_MS = 10_000;

/**
 * Refuses requests that are too many, counts them and reports them in the log now and then. They
 * are on no audit record.
 */
export class CountedRefusals {
  readonly #warn: () => void;
  #count = 0;

  /** @param facts what is worth knowing beside the number of refusals */
  constructor(log: ServiceLog, message: string, facts: () => object = () => ({}), everyMs = NOTICE_MS) {
    this.#warn = noticesTogether(() => log.warn(message, { refusedSinceStart: this.#count, ...facts() }), everyMs);
  }

  /** How many were refused since the service started. */
  get count(): number {
    return this.#count;
  }

  /** A caller that went away meanwhile was not refused. */
  refuse(response: ServerResponse, refusal: HttpRefusal): void {
    if (response.destroyed) return;
    this.#count += 1;
    answerRefusal(response, refusal);
    this.#warn();
  }
}
