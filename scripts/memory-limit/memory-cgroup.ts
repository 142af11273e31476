import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Files of a memory control group: version 2 (Documentation/admin-guide/cgroup-v2.rst), version 1.
 */
const FILES = [
  { limit: 'memory.max', swap: 'memory.swap.max', peak: 'memory.peak' },
  { limit: 'memory.limit_in_bytes', swap: 'memory.memsw.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
] as const;

/** A control group that limits memory, without swap. Needs root. */
export class MemoryCgroup {
  readonly #folder: string;
  readonly #files: (typeof FILES)[number];

  private constructor(folder: string, files: (typeof FILES)[number]) {
    this.#folder = folder;
    this.#files = files;
  }

  /**
   * @param limitBytes above which the kernel kills
   * @returns null without a writable control group
   */
  static create(name: string, limitBytes: number): MemoryCgroup | null {
    for (const parent of parents()) {
      const folder = join(parent, name);
      try {
        mkdirSync(folder);
      } catch {
        continue;
      }
      const files = FILES.find(({ limit }) => existsSync(join(folder, limit)));
      if (files === undefined) {
        rmdirSync(folder);
        continue;
      }
      writeFileSync(join(folder, files.limit), String(limitBytes));
      const swap = join(folder, files.swap);
      if (existsSync(swap)) writeFileSync(swap, files.swap === 'memory.swap.max' ? '0' : String(limitBytes));
      return new MemoryCgroup(folder, files);
    }
    return null;
  }

  /** Command prefix that enters the group and executes node with these options. */
  launcher(nodeOptions: readonly string[]): readonly string[] {
    const enter = `echo $$ > '${join(this.#folder, 'cgroup.procs')}'`;
    return ['/bin/sh', '-c', `${enter} && node=$1 && shift && exec "$node" ${nodeOptions.join(' ')} "$@"`, 'sh'];
  }

  /** Peak memory of the group, bytes. */
  get peakBytes(): number {
    return Number(readFileSync(join(this.#folder, this.#files.peak), 'utf8'));
  }

  /** Removes the group once it is empty. */
  async remove(): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      try {
        return rmdirSync(this.#folder);
      } catch {
        await sleep(50);
      }
    }
  }
}

/** Mount points of memory control groups. */
function parents(): readonly string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type, options = '']) => type === 'cgroup2' || (type === 'cgroup' && /\bmemory\b/.test(options)))
    .map(([, path = '']) => path);
}
