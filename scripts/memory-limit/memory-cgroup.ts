import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Mount and files of version 1, then of version 2 (cgroups(7)), which may be mounted beside it. */
const VERSIONS = [
  {
    mount: /^\S+ (\S+) cgroup \S*\bmemory\b/m,
    limit: 'limit_in_bytes',
    swap: 'memsw.limit_in_bytes',
    peak: 'max_usage_in_bytes',
  },
  { mount: /^\S+ (\S+) cgroup2 /m, limit: 'max', swap: 'swap.max', peak: 'peak' },
];

/** A control group that limits memory, without swap. */
export class MemoryCgroup {
  readonly #folder: string;
  readonly #peakFile: string;

  /**
   * @param limitBytes above which the kernel kills
   * @throws Error unless a memory control group can be made, which needs root
   */
  constructor(limitBytes: number) {
    const mounts = readFileSync('/proc/mounts', 'utf8');
    const version = VERSIONS.find(({ mount }) => mount.test(mounts));
    if (version === undefined) throw new Error('No memory control group is mounted.');
    const file = (name: string) => join(this.#folder, `memory.${name}`);
    this.#folder = join(version.mount.exec(mounts)?.[1] ?? '', `signing-service-${process.pid}`);
    this.#peakFile = file(version.peak);
    mkdirSync(this.#folder);
    writeFileSync(file(version.limit), String(limitBytes));
    // The limit of memory and swap together in version 1, of swap alone in version 2.
    const swap = version.swap === 'swap.max' ? 0 : limitBytes;
    if (existsSync(file(version.swap))) writeFileSync(file(version.swap), String(swap));
  }

  /** Command prefix that enters the group. */
  get launcher(): readonly string[] {
    return ['/bin/sh', '-c', `echo $$ > '${join(this.#folder, 'cgroup.procs')}' && exec "$@"`, 'sh'];
  }

  /** Peak memory of the group, bytes. */
  get peakBytes(): number {
    return Number(readFileSync(this.#peakFile, 'utf8'));
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
