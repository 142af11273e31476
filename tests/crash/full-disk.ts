import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk that can be filled and freed under a running service. */
export interface FillableDisk {
  readonly name: string;
  /** Creates it at this missing folder. */
  make(folder: string): void;
  /** Leaves some space, so that a write fails in the middle of a line. */
  fillAlmost(pid: number): void;
  /** Leaves none, so that no file can begin. */
  fill(pid: number): void;
  free(pid: number): void;
  /** Undoes `make`, except for the folder. */
  remove(): void;
}

/** Free space after `fillAlmost`: some dozens of records. Bytes. */
const LAST_ROOM = 40_960;
const DISK_BYTES = 4 * 1024 * 1024;
const CHUNK = Buffer.alloc(4096, 'ballast');

/** A file system of its own, or a size limit where mounting is not allowed. */
export function fillableDisks(): readonly FillableDisk[] {
  return mountIsAllowed() ? [new LimitedFiles(), new SmallDisk()] : [new LimitedFiles()];
}

/**
 * A limit on the size of files (RLIMIT_FSIZE of setrlimit(2)) without privilege: a write is cut
 * short there, later ones fail with EFBIG.
 */
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
    // Less than a segment record.
    this.#limit(pid, '100');
  }

  free(pid: number): void {
    this.#limit(pid, 'unlimited');
  }

  remove(): void {
    // Only the folder was created.
  }

  /** Changes the soft limit, which needs no privilege. */
  #limit(pid: number, bytes: string): void {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  }
}

/** A small tmpfs filled by another file: writes fail with ENOSPC. */
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
    // Lazy: the service of a failed test may still have files open.
    execFileSync('umount', ['--lazy', this.#folder]);
  }

  /** Extends a file to this size, or until the disk is full. */
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
  // A mount namespace needs the same privilege as mounting (CAP_SYS_ADMIN), and leaves nothing
  // behind.
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}
