import { constants } from 'node:fs';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { type FileOperations, writeFully } from './file-operations.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;

/** A whole block that no file system stores as a hole or beside its inode. */
const BLOCK = Buffer.alloc(4096, 'probe ');

/** How long an answer is good for, milliseconds. */
export const FRESH_MS = 250;

/** How long an answer is waited for, milliseconds: with the time for which the last one was good, less than a second. */
const PATIENCE_MS = 500;

/** How a probe finds out, and what it says of a disk that does not answer. */
export interface ProbeParts {
  /** What is known without asking the disk; null: nothing that is wrong. */
  readonly knownFault: () => AuditUnavailableError | null;
  /** Asks the disk, however long that takes. Never rejects. */
  readonly askDisk: () => Promise<AuditUnavailableError | null>;
  readonly hungFault: (waitedMs: number) => AuditUnavailableError;
}

/** Answers soon, and often, what only a disk can tell: it is asked once at a time, and not more often than it is worth. */
export class WriteProbe {
  readonly #parts: ProbeParts;
  #asking: Promise<AuditUnavailableError | null> | null = null;
  #answer: AuditUnavailableError | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** Why no record could be written now, or null. Resolves in time whatever the disk does; never rejects. */
  async ask(): Promise<AuditUnavailableError | null> {
    const known = this.#parts.knownFault();
    if (known !== null) return known;
    if (performance.now() - this.#answeredAt < FRESH_MS) return this.#answer;
    this.#asking ??= this.#ask();
    return this.#inTime(this.#asking);
  }

  async #ask(): Promise<AuditUnavailableError | null> {
    this.#answer = await this.#parts.askDisk();
    this.#answeredAt = performance.now();
    this.#asking = null;
    return this.#answer;
  }

  async #inTime(asking: Promise<AuditUnavailableError | null>): Promise<AuditUnavailableError | null> {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<AuditUnavailableError>((resolve) => {
      timer = setTimeout(() => resolve(this.#parts.hungFault(PATIENCE_MS)), PATIENCE_MS);
    });
    try {
      return await Promise.race([asking, overdue]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Writes a block to a file of its own beside the audit file and syncs it. It takes what a new record takes: room, a quota, the right to write, a disk that answers.
 * @throws the system's error when that fails
 */
export async function tryWriting(auditFile: string, operations: FileOperations): Promise<void> {
  // Nobody who looks for audit files takes this name for one.
  const path = `${auditFile}.probe.tmp`;
  const fd = await operations.open(path, NEW_FILE, FILE_MODE);
  try {
    await writeFully(fd, BLOCK, operations);
    await operations.fdatasync(fd);
  } finally {
    await operations.close(fd);
    // One that stays behind is used again.
    await operations.unlink(path).catch(() => undefined);
  }
}
