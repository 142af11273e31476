import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workplace } from '../../tests/e2e/service-process.ts';
import type { Sample } from '../proof/flatness.ts';

const FILE = 'memory.jsonl';
const LIMIT_MS = 10_000;
const LOOK_MS = 20;

/** What a service started from a place needs to tell of its memory. */
export const MEMORY_OPTIONS: readonly string[] = [
  '--expose-gc',
  '--import',
  resolve(import.meta.dirname, 'tell-memory.mjs'),
];

/** Settings for the same. glibc would keep ever more of what was freed, up to tens of megabytes, the larger the pieces were (mallopt(3), M_MMAP_THRESHOLD): that is no leak, and hides one. */
export function memoryEnvironment(place: Workplace): { readonly [name: string]: string } {
  return { FUZZ_MEMORY_FILE: place.path(FILE), MALLOC_MMAP_THRESHOLD_: '131072' };
}

/** What a service has left once its garbage is collected: what grows there is never given back. */
export class LeftMemory {
  readonly #place: Workplace;
  /** Bytes of the heap, and of buffers that it holds. */
  readonly live: Sample[] = [];
  /** Resident bytes beside the heap: buffers, and what libraries allocate. */
  readonly native: Sample[] = [];

  constructor(place: Workplace) {
    this.#place = place;
  }

  /** Has the process collect and tell, best when nobody calls it. @param at seconds */
  async measure(signal: (name: NodeJS.Signals) => void, at: number): Promise<void> {
    const before = this.#lines().length;
    const limit = performance.now() + LIMIT_MS;
    signal('SIGWINCH');
    while (this.#lines().length === before && performance.now() < limit) await sleep(LOOK_MS);
    const line = this.#lines()[before];
    if (line === undefined) return;
    const { live, native } = JSON.parse(line);
    this.live.push({ at, value: live });
    this.native.push({ at, value: native });
  }

  #lines(): readonly string[] {
    const path = this.#place.path(FILE);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  }
}
