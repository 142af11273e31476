import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk that can be filled and freed while the service runs on it. */
export interface FillableDisk {
  readonly name: string;
  /** Makes it at this folder, which is not there yet. */
  make(folder: string): void;
  /** Leaves some room, so that a write fails in the middle of a line. */
  fillAlmost(pid: number): void;
  /** Leaves none, so that nothing can be begun either. */
  fill(pid: number): void;
  free(pid: number): void;
  /** Takes back what `make` did beside making the folder. */
  remove(): void;
}

/** What is left by `fillAlmost`: some dozens of records. Bytes. */
const LAST_ROOM = 40_960;
const DISK_BYTES = 4 * 1024 * 1024;
const CHUNK = Buffer.alloc(4096, 'ballast');

/** The file system that is a file system of its own; where mounting is not allowed, the limit alone stands for it. */
export function fillableDisks(): readonly FillableDisk[] {
  return mountIsAllowed() ? [new LimitedFiles(), new SmallDisk()] : [new LimitedFiles()];
}

/** A limit on the size of files (RLIMIT_FSIZE of setrlimit(2)), which needs no privilege: writes behind it fail with EFBIG, and the last one before it is cut short. */
class LimitedFiles implements FillableDisk {
  readonly name = 'a limit on the size of files';
  #folder = '';

  make(folder: string): void {
    this.#folder = folder;
    mkdirSync(folder, { mode: 0o700 });
  }

  fillAlmost(pid: number): void {
    this.#limit(pid, String(statSync(join(this.#folder, 'audit.jsonl')).size + LAST_ROOM));
  }

  fill(pid: number): void {
    // Less than the record with which a file begins.
    this.#limit(pid, '100');
  }

  free(pid: number): void {
    this.#limit(pid, 'unlimited');
  }

  remove(): void {
    // Nothing was done but to make the folder.
  }

  /** Moves the soft limit, which the user of a process may. */
  #limit(pid: number, bytes: string): void {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  }
}

/** A small file system in memory that another file fills: writes fail with ENOSPC. */
class SmallDisk implements FillableDisk {
  readonly name = 'a full file system';
  #folder = '';

  make(folder: string): void {
    this.#folder = folder;
    mkdirSync(folder, { mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'tmpfs', folder]);
  }

  fillAlmost(): void {
    this.fill();
    rmSync(join(this.#folder, 'ballast-end'));
  }

  fill(): void {
    this.#write('ballast-end', LAST_ROOM);
    this.#write('ballast', DISK_BYTES);
    this.#write('ballast-end', DISK_BYTES);
  }

  free(): void {
    for (const name of ['ballast', 'ballast-end']) rmSync(join(this.#folder, name), { force: true });
  }

  remove(): void {
    // Also while a service that a failed test left still has files there.
    execFileSync('umount', ['--lazy', this.#folder]);
  }

  /** Adds bytes to a file until it has so many, or the disk is full. */
  #write(name: string, bytes: number): void {
    const fd = openSync(join(this.#folder, name), 'a', 0o600);
    try {
      for (let written = 0; written < bytes; ) written += writeSync(fd, CHUNK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(fd);
    }
  }
}

function mountIsAllowed(): boolean {
  // Making a mount namespace takes the same privilege as mounting (CAP_SYS_ADMIN), and leaves nothing behind.
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}
