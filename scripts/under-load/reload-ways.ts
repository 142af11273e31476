import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../tests/harness/service-process.ts';

/** How a reload is triggered. */
export type ReloadWay = 'endpoint' | 'SIGHUP' | 'watching';

/** Few reloads by watch, which waits a second for the file to settle. */
const WATCHED_EVERY = 10;

/** The way of the nth reload. */
export function getReloadWay(count: number): ReloadWay {
  if (count % WATCHED_EVERY === 0) return 'watching';
  return count % 2 === 0 ? 'endpoint' : 'SIGHUP';
}

const LOADED = 'Credentials loaded.';
const REFUSED = 'Credentials could not be loaded.';
const LIMIT_MS = 10_000;
const POLL_MS = 2;

interface Line {
  readonly time: string;
  readonly message: string;
  readonly facts?: { readonly reloadedAt?: string };
}

/** Reloads a service and determines the outcome from response or log. */
export class Reloads {
  readonly #service: ServiceProcess;
  /** When the last successful reload began, and the last one was refused, `Date.now()`. */
  #loadedAt = 0;
  #refusedAt = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
    service.process.onLine((line) => this.#read(line));
  }

  /**
   * Resolves when the written file is in force, or refused, as expected.
   * @throws Error for another outcome, or none in 10 seconds
   */
  async reload(way: ReloadWay, outcome: 'loaded' | 'refused'): Promise<void> {
    const writtenAt = Date.now();
    if (way === 'endpoint') {
      const { status, body } = await this.#service.post('/config/reload');
      const expected = outcome === 'loaded' ? status === 200 : body.error?.code === 'CONFIG_LOAD_FAILED';
      if (!expected) throw new Error(`A file to be ${outcome} was answered ${status} ${JSON.stringify(body)}`);
      return;
    }
    // A reload that began in the same millisecond may have read the old file.
    if (way === 'SIGHUP') {
      await sleep(POLL_MS);
      this.#service.process.signal('SIGHUP');
    }
    const limit = performance.now() + LIMIT_MS;
    while ((outcome === 'loaded' ? this.#loadedAt : this.#refusedAt) <= writtenAt) {
      if (performance.now() > limit) throw new Error(`By ${way}, a file was not ${outcome} within ${LIMIT_MS} ms.`);
      await sleep(POLL_MS);
    }
  }

  #read(text: string): void {
    if (!text.includes(LOADED) && !text.includes(REFUSED)) return;
    const { time, message, facts } = JSON.parse(text) as Line;
    if (message === LOADED) this.#loadedAt = Date.parse(facts?.reloadedAt ?? '');
    if (message === REFUSED) this.#refusedAt = Date.parse(time);
  }
}
