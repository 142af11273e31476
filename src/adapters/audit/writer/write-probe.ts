import { constants } from 'node:fs';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { settleWithin } from '../../node/settle-within.ts';
import { type FileSystem, writeFully } from './file-system.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;

/** A whole block: never a hole, never in the inode. */
const BLOCK = Buffer.alloc(4096, 'probe ');

/** Validity of a result, milliseconds. */
export const FRESH_MS = 250;

/** Timeout of a probe, milliseconds; with {@link FRESH_MS} less than a second. */
const TIMEOUT_MS = 500;

interface ProbeParts {
  /** A failure known without a disk access; null for none. */
  readonly knownFailure: () => AuditUnavailableError | null;
  /** Accesses the disk, however long that takes. Never rejects. */
  readonly accessDisk: () => Promise<AuditUnavailableError | null>;
  readonly probeTimeoutError: (waitedMs: number) => AuditUnavailableError;
}

/** Whether the disk can be written: one access at a time, cached. */
export class WriteProbe {
  readonly #parts: ProbeParts;
  #running: Promise<AuditUnavailableError | null> | null = null;
  #result: AuditUnavailableError | null = null;
  #finishedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** Why no record could be written, or null. Never rejects or blocks. */
  async check(): Promise<AuditUnavailableError | null> {
    const known = this.#parts.knownFailure();
    if (known !== null) return known;
    if (performance.now() - this.#finishedAt < FRESH_MS) return this.#result;
    this.#running ??= this.#run();
    return settleWithin(TIMEOUT_MS, this.#running, () => this.#parts.probeTimeoutError(TIMEOUT_MS));
  }

  async #run(): Promise<AuditUnavailableError | null> {
    this.#result = await this.#parts.accessDisk();
    this.#finishedAt = performance.now();
    this.#running = null;
    return this.#result;
  }
}

/**
 * Writes and syncs a block in a temporary file: it needs what a record needs.
 * @throws the system's error
 */
export async function tryWriting(auditFile: string, { open, unlink }: FileSystem): Promise<void> {
  const path = `${auditFile}.probe.tmp`;
  const handle = await open(path, NEW_FILE, FILE_MODE);
  try {
    await writeFully(handle, BLOCK);
    await handle.datasync();
  } finally {
    await handle.close();
    // A leftover is reused.
    await unlink(path).catch(() => undefined);
  }
}
