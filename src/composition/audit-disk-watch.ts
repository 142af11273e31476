import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiskSpace } from '../domain/model/service-state.ts';
import { CRITICAL_DISK_BYTES, diskStateOf, LOW_DISK_BYTES } from '../machine/disk-space.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';

/**
 * Time between two checks, milliseconds: at the fastest rate of signing, `low` is reached a minute
 * before `critical`.
 */
const CHECK_MS = 10_000;

/** How often a state that stays is logged again, milliseconds. */
const REPEAT_MS = 3_600_000;

const FILLING = 'The disk of the audit file is filling up. Make room before it is full: then nothing is signed.';
const ALMOST_FULL = 'The disk of the audit file is almost full. Make room now: when it is full, nothing is signed.';

/** What an {@link AuditDiskWatch} works with. */
export interface AuditDiskParts {
  /** Path of the audit file, for messages. */
  readonly file: string;
  readonly space: Pick<FreeSpace, 'bytes'>;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/**
 * Warns in the service log before the disk of the audit file is full, and knows how much room is
 * left. It keeps no process alive.
 */
export class AuditDiskWatch {
  readonly #parts: AuditDiskParts;
  #freeBytes: number | null = null;
  #logged: DiskSpace['state'] = 'ok';
  #loggedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AuditDiskParts) {
    this.#parts = parts;
  }

  /** As of the latest check, at most some ten seconds ago. */
  get state(): DiskSpace {
    const freeBytes = this.#freeBytes;
    const state = freeBytes === null ? 'unknown' : diskStateOf(freeBytes);
    return { freeBytes, state, lowBytes: LOW_DISK_BYTES, criticalBytes: CRITICAL_DISK_BYTES };
  }

  /** Checks now, and from now on every ten seconds. Never rejects. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
    await this.check();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Looks how much room is left, and logs a state that is new or has lasted for an hour. Never
   * rejects.
   */
  async check(): Promise<void> {
    const { space, clock, log, file } = this.#parts;
    this.#freeBytes = await space.bytes();
    const { state, freeBytes } = this.state;
    if (state === 'unknown') return;
    const isRepeated = state !== 'ok' && clock.monotonic() - this.#loggedAt >= REPEAT_MS;
    if (state === this.#logged && !isRepeated) return;
    this.#logged = state;
    this.#loggedAt = clock.monotonic();
    if (state === 'ok') log.info('The disk of the audit file has room again.', { file, freeBytes });
    else if (state === 'low') log.warn(FILLING, { file, freeBytes, lowBytes: LOW_DISK_BYTES });
    else log.error(ALMOST_FULL, { file, freeBytes, criticalBytes: CRITICAL_DISK_BYTES });
  }
}

/** How long to wait for the file system, milliseconds. */
const PATIENCE_MS = 200;

/**
 * How many bytes may still be written in a folder's file system. One query is in flight at a time:
 * a disk that hangs would hold a thread for each.
 */
export class FreeSpace {
  readonly #folder: string;
  readonly #query: (folder: string) => Promise<number>;
  #pending: Promise<number | null> | null = null;

  constructor(folder: string, query: (folder: string) => Promise<number> = freeBytesIn) {
    this.#folder = folder;
    this.#query = query;
  }

  /** Null where the file system does not say, or not soon. Never rejects. */
  async bytes(): Promise<number | null> {
    this.#pending ??= this.#query(this.#folder)
      .catch(() => null)
      .finally(() => {
        this.#pending = null;
      });
    const tooLate = new AbortController();
    const bytes = await Promise.race([
      this.#pending,
      sleep(PATIENCE_MS, null, { signal: tooLate.signal }).catch(() => null),
    ]);
    tooLate.abort();
    return bytes;
  }
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
