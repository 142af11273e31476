import type { ServerResponse } from 'node:http';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { answerRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';
import { HeldConnections } from './held-connections.ts';

/** Time between two lines of the log that speak of refusals, milliseconds, where nothing else is asked for. */
const NOTICE_MS = 10_000;

/** What the log is told now and then. */
export interface RefusalNotice {
  readonly message: string;
  /** What is worth knowing beside the number of refusals. */
  readonly facts: () => object;
  /** Time between two lines, milliseconds. */
  readonly everyMs?: number;
}

/** Answers requests that are too many, counts them, and says so in the log now and then. What was refused is on no audit record. */
export class CountedRefusals {
  readonly #log: ServiceLog;
  readonly #notice: RefusalNotice;
  readonly #held = new HeldConnections();
  #count = 0;
  #noticedAt = Number.NEGATIVE_INFINITY;

  constructor(log: ServiceLog, notice: RefusalNotice) {
    this.#log = log;
    this.#notice = notice;
  }

  /** How many were refused since the service started. */
  get count(): number {
    return this.#count;
  }

  /** Has a request wait that came on a connection which is held back after a refusal; false where it is not. */
  park(response: ServerResponse, goOn: () => void): boolean {
    return this.#held.park(response.req.socket, goOn);
  }

  /** Answers, and reads nothing more from the connection for a moment. A caller who went away meanwhile was not refused. */
  refuse(response: ServerResponse, refusal: HttpRefusal): void {
    if (response.destroyed) return;
    this.#count += 1;
    this.#held.holdAfter(response);
    answerRefusal(response, refusal);
    this.#tell();
  }

  #tell(): void {
    const now = performance.now();
    const { message, facts, everyMs = NOTICE_MS } = this.#notice;
    if (now - this.#noticedAt < everyMs) return;
    this.#noticedAt = now;
    this.#log.warn(message, { refusedSinceStart: this.#count, ...facts() });
  }
}
