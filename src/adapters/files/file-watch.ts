import { type BigIntStats, type FSWatcher, promises as fs, lstatSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from './system-error-code.ts';

/** Milliseconds. */
export interface WatchTimes {
  /** A change is reported after this long without another. */
  readonly quietMs: number;
  /** A change is reported after this long even without a quiet period. */
  readonly maxDelayMs: number;
  /** Interval of checks without an event. */
  readonly checkMs: number;
}

const DEFAULT_TIMES: WatchTimes = { quietMs: 300, maxDelayMs: 5000, checkMs: 10_000 };

/** Checks per quiet period, to notice writers that pause. */
const CHECKS_PER_QUIET = 3;

/** A watched path. */
interface Watched {
  readonly state: string;
  readonly watchers: readonly FSWatcher[];
}

/**
 * Reports changed files, debounced: written, replaced, removed, restored, with other permissions,
 * or reached through another symbolic link (Kubernetes' `..data`).
 *
 * Sleeps until inotify(7) has an event, then compares stat(2). The kernel has no event for a change
 * by another host of a network file system, nor for an exchanged folder above a file: for these,
 * all files are checked every ten seconds. Never throws; does not keep the process alive.
 */
export class FileWatch {
  readonly #onChange: () => void | Promise<void>;
  readonly #times: WatchTimes;
  readonly #files = new Map<string, Watched>();
  #running: Promise<void> | undefined;
  #isStopped = false;
  #hasEvent = false;
  /** Times of the first and last unreported change. */
  #changed: { readonly firstAt: number; readonly lastAt: number } | null = null;
  /** Ends the wait for an event. */
  #wake = () => {};

  /** @param onChange called after a change, never concurrently; handles its own errors */
  constructor(onChange: () => void | Promise<void>, times: Partial<WatchTimes> = {}) {
    this.#onChange = onChange;
    this.#times = { ...DEFAULT_TIMES, ...times };
  }

  /**
   * Replaces the set of watched files, which may be missing. Changes after this call are reported,
   * so call it before reading. No effect after `stop`.
   */
  watch(paths: readonly string[]): void {
    if (this.#isStopped) return;
    for (const [path, { watchers }] of this.#files) {
      if (paths.includes(path)) continue;
      close(watchers);
      this.#files.delete(path);
    }
    for (const path of paths) {
      // Watchers first: a change after the state has an event.
      if (!this.#files.has(path)) this.#files.set(path, { watchers: this.#open(path), state: readStateSync(path) });
    }
    this.#running ??= this.#run();
  }

  /** Marks the current state as known, so that earlier changes are not reported. */
  async markSeen(): Promise<void> {
    await this.#findChange();
    this.#changed = null;
  }

  stop(): void {
    this.watch([]);
    this.#isStopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const { quietMs, maxDelayMs } = this.#times;
    while (await this.#awaitCheck()) {
      const hasChanged = await this.#findChange();
      const now = performance.now();
      if (hasChanged) this.#changed = { firstAt: this.#changed?.firstAt ?? now, lastAt: now };
      if (this.#changed === null) continue;
      const { firstAt, lastAt } = this.#changed;
      if (now - lastAt < quietMs && now - firstAt < maxDelayMs) continue;
      this.#changed = null;
      await this.#onChange();
    }
  }

  /** Waits for an event, then and while files change for a pause. False once stopped. */
  async #awaitCheck(): Promise<boolean> {
    const { quietMs, checkMs } = this.#times;
    if (!this.#hasEvent && this.#changed === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, checkMs).unref();
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (this.#hasEvent || this.#changed !== null) await sleep(quietMs / CHECKS_PER_QUIET, undefined, { ref: false });
    return !this.#isStopped;
  }

  /** Sequential, so that a hanging file system blocks one thread of the pool. */
  async #findChange(): Promise<boolean> {
    this.#hasEvent = false;
    let hasChanged = false;
    for (const [path, file] of [...this.#files]) {
      const state = await readState(path);
      if (state === file.state || this.#files.get(path) !== file) continue;
      hasChanged = true;
      // A watcher stays with the file that it was opened for.
      close(file.watchers);
      this.#files.set(path, { watchers: this.#open(path), state });
    }
    return hasChanged;
  }

  /** Watches a file; also its folder if it is a symbolic link or missing. */
  #open(path: string): readonly FSWatcher[] {
    const watchers: FSWatcher[] = [];
    for (const watched of [path, dirname(path)]) {
      try {
        watchers.push(watch(watched, { persistent: false }, () => this.#reportEvent()));
        if (lstatSync(watched).isFile()) break;
      } catch {
        // Missing, or the system has no watch left: checked without events.
      }
    }
    return watchers;
  }

  #reportEvent(): void {
    this.#hasEvent = true;
    this.#wake();
  }
}

function close(watchers: readonly FSWatcher[]): void {
  for (const watcher of watchers) watcher.close();
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
