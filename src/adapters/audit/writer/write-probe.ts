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

/** Returns why no record could be written, or null. Never rejects or blocks. */
type WriteProbe = () => Promise<AuditUnavailableError | null>;

/** Probes whether the disk can be written: one access at a time, cached. */
export function createWriteProbe({ knownFailure, accessDisk, probeTimeoutError }: ProbeParts): WriteProbe {
  let running: Promise<AuditUnavailableError | null> | null = null;
  let result: AuditUnavailableError | null = null;
  let finishedAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    result = await accessDisk();
    finishedAt = performance.now();
    running = null;
    return result;
  };
  return async () => {
    const known = knownFailure();
    if (known !== null || performance.now() - finishedAt < FRESH_MS) return known ?? result;
    running ??= run();
    return settleWithin(TIMEOUT_MS, running, () => probeTimeoutError(TIMEOUT_MS));
  };
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
