import { type BigIntStats, promises as fs, statSync } from 'node:fs';
import { systemErrorCode } from './system-error-code.ts';

/** Milliseconds. */
export interface WatchTimes {
  /** Polling interval. */
  readonly intervalMs: number;
  /** A change is reported after this long without another. */
  readonly quietMs: number;
  /** A change is reported after this long even without a quiet period. */
  readonly maxDelayMs: number;
}

const DEFAULT_TIMES: WatchTimes = { intervalMs: 250, quietMs: 300, maxDelayMs: 5000 };

/** Polls per quiet period, to notice writers that pause. */
const POLLS_PER_QUIET = 3;

/**
 * Reports changed files, debounced: written, replaced, removed, restored, with other permissions,
 * or reached through another symbolic link (Kubernetes' `..data`).
 *
 * Polls stat(2), which works everywhere; inotify misses network file systems, links and names, and
 * `fs.watchFile` starts late. Never throws; does not keep the process alive.
 */
export class FileWatch {
  readonly #onChange: () => void | Promise<void>;
  readonly #times: WatchTimes;
  #states = new Map<string, string>();
  #isPolling = false;
  #isChangePending = false;
  #isStopped = false;

  /** @param onChange called after a change, never concurrently; handles its own errors */
  constructor(onChange: () => void | Promise<void>, times: Partial<WatchTimes> = {}) {
    this.#onChange = onChange;
    this.#times = { ...DEFAULT_TIMES, ...times };
  }

  /**
   * Replaces the set of watched files, which may be missing. Changes after this call are reported,
   * so call it before reading. No effect after `stop`.
   */
  watch(files: readonly string[]): void {
    if (this.#isStopped) return;
    this.#states = new Map(files.map((file) => [file, this.#states.get(file) ?? readStateSync(file)]));
    if (this.#isPolling || this.#states.size === 0) return;
    this.#isPolling = true;
    void this.#poll().finally(() => {
      this.#isPolling = false;
    });
  }

  /** Marks the current state as known, so that earlier changes are not reported. */
  async markSeen(): Promise<void> {
    await this.#findChange();
    this.#isChangePending = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#states.clear();
  }

  async #poll(): Promise<void> {
    const { intervalMs } = this.#times;
    while (await this.#pause(intervalMs)) {
      if (!(await this.#findChange())) continue;
      this.#isChangePending = true;
      if (!(await this.#awaitQuiet())) return;
      if (this.#isChangePending) await this.#onChange();
    }
  }

  async #awaitQuiet(): Promise<boolean> {
    const { quietMs, maxDelayMs } = this.#times;
    const firstChangeAt = performance.now();
    let lastChangeAt = firstChangeAt;
    while (await this.#pause(quietMs / POLLS_PER_QUIET)) {
      if (await this.#findChange()) {
        this.#isChangePending = true;
        lastChangeAt = performance.now();
      }
      const now = performance.now();
      if (now - lastChangeAt >= quietMs || now - firstChangeAt >= maxDelayMs) return !this.#isStopped;
    }
    return false;
  }

  /** Sequential, so that a hanging file system blocks one thread of the pool. */
  async #findChange(): Promise<boolean> {
    let hasChanged = false;
    for (const file of [...this.#states.keys()]) {
      const state = await readState(file);
      const before = this.#states.get(file);
      if (before === undefined || before === state) continue;
      this.#states.set(file, state);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** False once stopped. */
  async #pause(milliseconds: number): Promise<boolean> {
    await new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
    return !this.#isStopped;
  }
}

function readStateSync(file: string): string {
  try {
    return formatState(statSync(file, { bigint: true }));
  } catch (error) {
    return systemErrorCode(error);
  }
}

async function readState(file: string): Promise<string> {
  try {
    return formatState(await fs.stat(file, { bigint: true }));
  } catch (error) {
    return systemErrorCode(error);
  }
}

/** Everything that changes with content, name or permissions; not the access time. */
function formatState({ dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs].join(' ');
}
