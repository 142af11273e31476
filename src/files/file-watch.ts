import { type BigIntStats, promises as fs, statSync } from 'node:fs';
import { systemErrorCode } from './system-error-code.ts';

/** Times of a watch, milliseconds. */
export interface WatchTimes {
  /** How often the files are looked at. */
  readonly intervalMs: number;
  /** How long nothing must have changed before a change is told. */
  readonly quietMs: number;
  /** After this time a change is told even though there is no quiet. */
  readonly patienceMs: number;
}

const DEFAULT_TIMES: WatchTimes = { intervalMs: 500, quietMs: 300, patienceMs: 5000 };

/** Looks during the time of quiet: a writer that pauses for less than a third of it is seen to go on. */
const LOOKS_PER_QUIET = 3;

/**
 * Tells that files have changed: written in place, replaced by a rename, gone, come back, given other permissions, or reached by another symbolic link,
 * as when Kubernetes exchanges `..data`. Changes that follow each other closely are told once, when they are over.
 *
 * It asks the system for each file's state again and again (stat(2), which follows symbolic links), since that works on every file system; inotify is silent on network file systems and
 * follows neither links nor names. `fs.watchFile` does the same, but has its first look some time after it was called, and can't look more closely while a file is being written.
 *
 * It never throws and keeps no process alive.
 */
export class FileWatch {
  readonly #onChange: () => void | Promise<void>;
  readonly #times: WatchTimes;
  /** The state in which each file was last seen. */
  #states = new Map<string, string>();
  #isLooking = false;
  #isStopped = false;

  /** @param onChange called when files have changed, never again before it has ended; it answers for its own errors */
  constructor(onChange: () => void | Promise<void>, times: Partial<WatchTimes> = {}) {
    this.#onChange = onChange;
    this.#times = { ...DEFAULT_TIMES, ...times };
  }

  /**
   * Watches these files from now on and no others. They may be missing, and another set is no change. What happens to a file after this call is told: call it before you read.
   * After `stop` it does nothing.
   */
  watch(files: readonly string[]): void {
    if (this.#isStopped) return;
    this.#states = new Map(files.map((file) => [file, this.#states.get(file) ?? stateNow(file)]));
    if (this.#isLooking || this.#states.size === 0) return;
    this.#isLooking = true;
    void this.#look().finally(() => {
      this.#isLooking = false;
    });
  }

  /** Takes the present state of all files for known: what changed before this call is not told, unless it is being told already. */
  async catchUp(): Promise<void> {
    await this.#findChange();
  }

  /** Ends it for good: `onChange` is not called any more. */
  stop(): void {
    this.#isStopped = true;
    this.#states.clear();
  }

  async #look(): Promise<void> {
    const { intervalMs } = this.#times;
    while (await this.#pause(intervalMs)) {
      if (!(await this.#findChange())) continue;
      if (!(await this.#awaitQuiet())) return;
      await this.#onChange();
    }
  }

  /** False when the watch was stopped meanwhile. */
  async #awaitQuiet(): Promise<boolean> {
    const { quietMs, patienceMs } = this.#times;
    const firstChangeAt = performance.now();
    let lastChangeAt = firstChangeAt;
    while (await this.#pause(quietMs / LOOKS_PER_QUIET)) {
      if (await this.#findChange()) lastChangeAt = performance.now();
      const now = performance.now();
      if (now - lastChangeAt >= quietMs || now - firstChangeAt >= patienceMs) return !this.#isStopped;
    }
    return false;
  }

  /** Looks at every file, one after the other: a file system that hangs takes one thread of the process, not all. */
  async #findChange(): Promise<boolean> {
    let hasChanged = false;
    for (const file of [...this.#states.keys()]) {
      const state = await stateOf(file);
      const before = this.#states.get(file);
      // It may not be watched any more by now.
      if (before === undefined || before === state) continue;
      this.#states.set(file, state);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** False when the watch was stopped meanwhile. */
  async #pause(milliseconds: number): Promise<boolean> {
    await new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
    return !this.#isStopped;
  }
}

function stateNow(file: string): string {
  try {
    return describe(statSync(file, { bigint: true }));
  } catch (error) {
    return systemErrorCode(error);
  }
}

async function stateOf(file: string): Promise<string> {
  try {
    return describe(await fs.stat(file, { bigint: true }));
  } catch (error) {
    return systemErrorCode(error);
  }
}

/** Everything that a change of content, name or permissions changes; not the time of the last reading. */
function describe({ dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs].join(' ');
}
