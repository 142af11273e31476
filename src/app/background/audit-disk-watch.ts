import { statfs } from 'node:fs/promises';
import { CRITICAL_DISK_BYTES, getDiskState, LOW_DISK_BYTES } from '../../adapters/machine/disk-space.ts';
import { settleWithin } from '../../adapters/node/settle-within.ts';
import type { DiskSpace } from '../../domain/model/service-state.ts';
import type { ServiceLog } from '../../ports/service-log.ts';

/** Milliseconds. At the fastest rate of signing, `low` comes a minute before `critical`. */
const CHECK_MS = 10_000;

/** Factor above a limit at which its warning ends: free space fluctuates. */
const MARGIN = 1.1;

const FILLING = 'The audit disk is filling up. Free some space: when it is full, nothing is signed.';
const ALMOST_FULL = 'The audit disk is almost full. Free some space now: when it is full, nothing is signed.';

/** Dependencies of {@link AuditDiskWatch}. */
export interface AuditDiskParts {
  /** Path of the audit file, for messages. */
  readonly file: string;
  readonly space: Pick<FreeSpace, 'bytes'>;
  readonly log: ServiceLog;
}

/**
 * Warns in the service log before the disk of the audit file is full. Does not keep the process
 * alive.
 */
export class AuditDiskWatch {
  readonly #parts: AuditDiskParts;
  #freeBytes: number | null = null;
  #logged: ReturnType<typeof getDiskState> = 'ok';
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AuditDiskParts) {
    this.#parts = parts;
  }

  /** As of the latest check, at most about ten seconds ago. */
  get state(): DiskSpace {
    const freeBytes = this.#freeBytes;
    const state = freeBytes === null ? 'unknown' : getDiskState(freeBytes);
    return { freeBytes, state, lowBytes: LOW_DISK_BYTES, criticalBytes: CRITICAL_DISK_BYTES };
  }

  /** Checks now and every ten seconds. Never rejects. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
    await this.check();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Measures the free space and logs its state. Never rejects. */
  async check(): Promise<void> {
    const { space, log, file } = this.#parts;
    this.#freeBytes = await space.bytes();
    const freeBytes = this.#freeBytes;
    if (freeBytes === null) return;
    const state = this.#toLoggedState(freeBytes);
    this.#logged = state;
    const throttling = { topic: 'audit disk', cause: state };
    if (state === 'ok') log.recovered('The audit disk has free space again.', { file, freeBytes }, throttling);
    else if (state === 'low') log.warn(FILLING, { file, freeBytes, lowBytes: LOW_DISK_BYTES }, throttling);
    else log.error(ALMOST_FULL, { file, freeBytes, criticalBytes: CRITICAL_DISK_BYTES }, throttling);
  }

  /** The state; a better one than the logged one only with {@link MARGIN}. */
  #toLoggedState(freeBytes: number): ReturnType<typeof getDiskState> {
    const state = getDiskState(freeBytes);
    const cautious = getDiskState(freeBytes / MARGIN);
    return cautious === this.#logged ? cautious : state;
  }
}

/** Longest wait for the file system, milliseconds. */
const QUERY_TIMEOUT_MS = 200;

/**
 * Free space of a folder's file system. Allows one query in flight: each blocks a thread while a
 * disk hangs.
 */
export class FreeSpace {
  readonly #folder: string;
  readonly #query: (folder: string) => Promise<number>;
  #pending: Promise<number | null> | null = null;

  constructor(folder: string, query: (folder: string) => Promise<number> = getFreeBytes) {
    this.#folder = folder;
    this.#query = query;
  }

  /** Null if the file system does not report it in time. Never rejects. */
  async bytes(): Promise<number | null> {
    this.#pending ??= this.#query(this.#folder)
      .catch(() => null)
      .finally(() => {
        this.#pending = null;
      });
    return settleWithin(QUERY_TIMEOUT_MS, this.#pending, () => null);
  }
}

async function getFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
