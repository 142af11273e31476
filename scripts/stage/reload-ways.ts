import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../tests/e2e/service-process.ts';

/** How a file gets in force. */
export type ReloadWay = 'endpoint' | 'SIGHUP' | 'watching';

/** Which reload is left to the watch: that takes a second, in which the file has to be quiet. */
const WATCHED_EVERY = 10;

/** The way of the reload of that number: in turns, but few by watching. */
export function wayOf(count: number): ReloadWay {
  if (count % WATCHED_EVERY === 0) return 'watching';
  return count % 2 === 0 ? 'endpoint' : 'SIGHUP';
}

const LOADED = 'Credentials loaded.';
const REFUSED = 'Credentials could not be loaded.';
const LIMIT_MS = 10_000;
const LOOK_MS = 2;

interface Line {
  readonly time: string;
  readonly message: string;
  readonly facts?: { readonly reloadedAt?: string };
}

/** Makes a service reload, and learns from its log, or its answer, what came of it. */
export class Reloads {
  readonly #service: ServiceProcess;
  /** When the last reload that took effect began to read, and when the last one was refused, `Date.now()`. */
  #loadedAt = 0;
  #refusedAt = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
    service.process.onLine((line) => this.#read(line));
  }

  /**
   * Resolves once what was written to the file before is in force, or refused, as it should be.
   * @throws Error when something else comes of it, or nothing in 10 seconds
   */
  async reload(way: ReloadWay, outcome: 'loaded' | 'refused'): Promise<void> {
    const writtenAt = Date.now();
    if (way === 'endpoint') {
      const { status, body } = await this.#service.post('/config/reload');
      const expected = outcome === 'loaded' ? status === 200 : body.error?.code === 'CONFIG_LOAD_FAILED';
      if (!expected) throw new Error(`A file to be ${outcome} was answered ${status} ${JSON.stringify(body)}`);
      return;
    }
    // A reload that began to read in the same millisecond may have begun before the file was written.
    if (way === 'SIGHUP') {
      await sleep(LOOK_MS);
      this.#service.process.signal('SIGHUP');
    }
    const limit = performance.now() + LIMIT_MS;
    while ((outcome === 'loaded' ? this.#loadedAt : this.#refusedAt) <= writtenAt) {
      if (performance.now() > limit) throw new Error(`By ${way}, a file was not ${outcome} within ${LIMIT_MS} ms.`);
      await sleep(LOOK_MS);
    }
  }

  #read(text: string): void {
    if (!text.includes(LOADED) && !text.includes(REFUSED)) return;
    const { time, message, facts } = JSON.parse(text) as Line;
    if (message === LOADED) this.#loadedAt = Date.parse(facts?.reloadedAt ?? '');
    if (message === REFUSED) this.#refusedAt = Date.parse(time);
  }
}
