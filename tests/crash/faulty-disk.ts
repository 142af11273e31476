import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { type FileOperations, nodeFileOperations as real } from '../../src/adapters/audit/file/file-operations.ts';
import { splitWrites } from '../doubles/split-writes.ts';

/**
 * Calls that can hang; `fdatasync` also as the second step of a synchronous write ({@link
 * splitWrites}).
 */
export type HangingCall = 'write' | 'fdatasync' | 'stat';

/**
 * The system's file operations with failing or hanging syncs. Like a failing disk, it drops what
 * was not synced, and a repeated sync of the descriptor reports success
 * (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class FaultyDisk {
  /** Synced bytes by descriptor. */
  readonly #synced = new Map<number, number>();
  readonly #failed = new Set<number>();
  #failuresToCome = 0;
  #hanging: HangingCall | null = null;
  #release: () => void = () => undefined;
  #released: Promise<void> = Promise.resolve();
  #reportBlocked: () => void = () => undefined;
  /** Failed syncs. */
  failures = 0;
  /** Syncs of a descriptor after a failed one. */
  repeatedSyncs = 0;

  readonly operations: FileOperations = splitWrites({
    ...real,
    open: async (path, flags, mode) => {
      const fd = await real.open(path, flags, mode);
      this.#synced.set(fd, fstatSync(fd).size);
      this.#failed.delete(fd);
      return fd;
    },
    write: async (fd, bytes, offset) => {
      await this.#pass('write');
      return real.write(fd, bytes, offset);
    },
    stat: async (path) => {
      await this.#pass('stat');
      return real.stat(path);
    },
    ftruncate: async (fd, size) => {
      await real.ftruncate(fd, size);
      this.#synced.set(fd, Math.min(size, this.#synced.get(fd) ?? 0));
    },
    fdatasync: async (fd) => {
      await this.#pass('fdatasync');
      await this.#sync(fd, real.fdatasync);
    },
    fsync: (fd) => this.#sync(fd, real.fsync),
  });

  /** The number of syncs to fail. */
  fail(syncs: number): void {
    this.#failuresToCome = syncs;
  }

  /** Blocks this call until `goOn`. Resolves when one is blocked. */
  hang(call: HangingCall): Promise<void> {
    this.#hanging = call;
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
    return new Promise((resolve) => {
      this.#reportBlocked = resolve;
    });
  }

  goOn(): void {
    this.#hanging = null;
    this.#release();
  }

  async #pass(call: HangingCall): Promise<void> {
    if (this.#hanging !== call) return;
    this.#reportBlocked();
    await this.#released;
  }

  async #sync(fd: number, sync: (fd: number) => Promise<void>): Promise<void> {
    if (this.#failed.has(fd)) this.repeatedSyncs += 1;
    if (this.#failuresToCome > 0) {
      this.#failuresToCome -= 1;
      this.failures += 1;
      this.#failed.add(fd);
      if (fstatSync(fd).isFile()) this.#loseUnsynced(fd);
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    }
    const { size } = fstatSync(fd);
    await sync(fd);
    this.#synced.set(fd, size);
  }

  /** The kernel keeps the length and drops the pages. */
  #loseUnsynced(fd: number): void {
    const from = this.#synced.get(fd) ?? 0;
    // Through another descriptor: O_APPEND would write at the end.
    const other = openSync(`/proc/self/fd/${fd}`, 'r+');
    writeSync(other, Buffer.alloc(fstatSync(fd).size - from), 0, null, from);
    closeSync(other);
  }
}
