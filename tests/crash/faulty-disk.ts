import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { FileSystem } from '../../src/adapters/audit/writer/file-system.ts';
import { type FileCalls, nodeCalls, type OpenFile, toFileSystem } from '../doubles/file-calls.ts';

/** Calls that can hang; `datasync` also as the second step of a synchronous write. */
export type HangingCall = 'write' | 'datasync';

/**
 * The system's file calls with failing or hanging syncs. Like a failing disk, it drops what was not
 * synced, and a repeated sync of the descriptor reports success
 * (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class FaultyDisk {
  /** Synced bytes of open files. */
  readonly #synced = new Map<OpenFile, number>();
  readonly #failed = new Set<OpenFile>();
  #failuresToCome = 0;
  #hanging: HangingCall | null = null;
  #release: () => void = () => undefined;
  #released: Promise<void> = Promise.resolve();
  #reportBlocked: () => void = () => undefined;
  /** Failed syncs. */
  failures = 0;
  /** Syncs of a descriptor after a failed one. */
  repeatedSyncs = 0;

  readonly #calls: FileCalls = {
    ...nodeCalls,
    write: async (file, bytes) => {
      await this.#pass('write');
      // What a file had when it was opened counts as synced.
      if (!this.#synced.has(file)) this.#synced.set(file, sizeOf(file));
      return nodeCalls.write(file, bytes);
    },
    truncate: async (file, size) => {
      await nodeCalls.truncate(file, size);
      this.#synced.set(file, Math.min(size, this.#synced.get(file) ?? size));
    },
    datasync: async (file) => {
      await this.#pass('datasync');
      await this.#sync(file, nodeCalls.datasync);
    },
    sync: (file) => this.#sync(file, nodeCalls.sync),
  };
  readonly fileSystem: FileSystem = toFileSystem(this.#calls);

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

  async #sync(file: OpenFile, sync: (file: OpenFile) => Promise<void>): Promise<void> {
    if (this.#failed.has(file)) this.repeatedSyncs += 1;
    if (this.#failuresToCome > 0) {
      this.#failuresToCome -= 1;
      this.failures += 1;
      this.#failed.add(file);
      this.#loseUnsynced(file);
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    }
    const size = sizeOf(file);
    await sync(file);
    this.#synced.set(file, size);
  }

  /** The kernel keeps the length, and drops pages that were written through this file. */
  #loseUnsynced(file: OpenFile): void {
    const from = this.#synced.get(file);
    if (from === undefined) return;
    // Through another descriptor: O_APPEND would write at the end.
    const other = openSync(`/proc/self/fd/${file.handle.fd}`, 'r+');
    writeSync(other, Buffer.alloc(Math.max(0, sizeOf(file) - from)), 0, null, from);
    closeSync(other);
  }
}

function sizeOf({ handle }: OpenFile): number {
  return fstatSync(handle.fd).size;
}
