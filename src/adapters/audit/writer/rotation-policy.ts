import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../../ports/clock.ts';
import type { AuditFile } from '../file/audit-file.ts';
import { rotatedRange } from '../record/segment-files.ts';
import type { AuditFileLog } from './audit-file-log.ts';

/** Size, age and number of files; 0 means unlimited. */
export interface RotationLimits {
  readonly bytes: number;
  readonly hours: number;
  /** Number of rotated files to keep. */
  readonly files: number;
}

const MS_PER_HOUR = 3_600_000;
/** Delay after a failed rotation, milliseconds. */
const POSTPONED_MS = 60_000;

/** Rotation by size and age. */
export class RotationPolicy {
  readonly #limits: RotationLimits;
  readonly #clock: Clock;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(limits: RotationLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Why the next file is due, or null. A file needs more than its segment record. */
  dueReason(file: Pick<AuditFile, 'size' | 'startedAt' | 'records'>): 'size' | 'age' | null {
    if (file.records <= 1 || this.#clock.monotonic() < this.#notBefore) return null;
    const { bytes, hours } = this.#limits;
    if (bytes > 0 && file.size >= bytes) return 'size';
    return hours > 0 && Math.abs(this.#clock.now() - file.startedAt) >= hours * MS_PER_HOUR ? 'age' : null;
  }

  /** Delays the next attempt by a minute. */
  postpone(): void {
    this.#notBefore = this.#clock.monotonic() + POSTPONED_MS;
  }

  /** Deletes the oldest rotated files beyond the limit. Never throws. */
  async prune(file: string, auditLog: AuditFileLog): Promise<void> {
    const { files } = this.#limits;
    if (files === 0) return;
    try {
      const folder = dirname(file);
      const rotated = (await readdir(folder))
        .flatMap((name) => rotatedRange(basename(file), name) ?? [])
        .sort((left, right) => left.firstSeq - right.firstSeq);
      for (const { name } of rotated.slice(0, Math.max(0, rotated.length - files))) {
        await unlink(join(folder, name));
        auditLog.deleted(join(folder, name), files);
      }
    } catch (cause) {
      auditLog.pruneFailed(file, cause);
    }
  }
}
