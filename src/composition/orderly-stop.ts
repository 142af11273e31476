import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { ServedConnections } from '../adapters/driving/http/connections/served-connections.ts';
import type { ReadinessService } from '../domain/services/readiness-service.ts';
import type { ServiceLog } from '../ports/service-log.ts';

/** What is stopped, and how much time that gets. */
export interface StopParts {
  readonly readiness: Pick<ReadinessService, 'drain'>;
  readonly server: Pick<ServedConnections, 'endConnections' | 'stop'>;
  readonly log: ServiceLog;
  /** From the announcement to the moment from which nothing is accepted any more, milliseconds. */
  readonly delayMs: number;
  /** From then on, for requests in flight, milliseconds. */
  readonly drainMs: number;
  /** What is left to do when no request is in flight any more. */
  readonly end: () => Promise<void>;
}

/** The one stop of a service, announced or not. */
export class OrderlyStop {
  readonly #parts: StopParts;
  readonly #isUrgent = new AbortController();
  #announced: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /**
   * Says that the service is not ready, and goes on serving for a while, so that whoever sends requests turns elsewhere; then stops. Answers carry `Connection: close` from now on. `stop` cuts that
   * time short.
   */
  drain(): Promise<void> {
    this.#announced ??= this.#drain();
    return this.#announced;
  }

  /** Stops accepting, finishes what is in flight, and ends. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #drain(): Promise<void> {
    const { readiness, server, log, delayMs } = this.#parts;
    if (this.#stopped !== undefined) return this.#stopped;
    readiness.drain();
    server.endConnections();
    log.info('Not ready any more, and about to stop.', { delayMs });
    await delay(delayMs, undefined, { signal: this.#isUrgent.signal }).catch(() => undefined);
    return this.stop();
  }

  async #stop(): Promise<void> {
    const { readiness, server, log, drainMs, end } = this.#parts;
    this.#isUrgent.abort();
    readiness.drain();
    const drained = await server.stop(drainMs);
    if (!drained) {
      log.warn('Some requests were still in flight when the time to finish them was over.');
      // Those that were cut off are told of it, and record it, in this turn of the event loop.
      await nextTurn();
    }
    await end();
    log.info('Stopped.');
  }
}
