import { rm } from 'node:fs/promises';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import type { Clock } from '../../../ports/clock.ts';
import { newestFirst } from '../segments/chain-reader.ts';
import type { AuditFileLog } from './audit-file-log.ts';
import type { OpenSegment } from './open-segment.ts';

/** Size, age and number of files; 0 means unlimited. */
export interface RotationLimits {
  readonly bytes: number;
  readonly hours: number;
  /** Number of closed segments to keep. */
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

  /** Why the next segment is due, or null. A segment needs more than its first record. */
  dueReason(
    { firstSeq, size, startedAt }: Pick<OpenSegment, 'firstSeq' | 'size' | 'startedAt'>,
    head: AuditHead,
  ): 'size' | 'age' | null {
    if (head.seq <= firstSeq || this.#clock.monotonic() < this.#notBefore) return null;
    const { bytes, hours } = this.#limits;
    if (bytes > 0 && size >= bytes) return 'size';
    const age = Math.abs(this.#clock.now() - (startedAt ?? Number.NaN));
    return hours > 0 && age >= hours * MS_PER_HOUR ? 'age' : null;
  }

  /** Delays the next attempt by a minute. */
  postpone(): void {
    this.#notBefore = this.#clock.monotonic() + POSTPONED_MS;
  }

  /** Deletes the oldest closed segments beyond the limit, but no compressed ones. Never throws. */
  async prune(auditFile: string, { firstSeq: open }: OpenSegment, auditLog: AuditFileLog): Promise<void> {
    const { files } = this.#limits;
    if (files === 0) return;
    try {
      const closed: string[] = [];
      for await (const { path, form, firstSeq } of newestFirst(auditFile))
        if (form === 'plain' && firstSeq < open) closed.unshift(path);
      for (const path of closed.slice(0, Math.max(0, closed.length - files))) {
        await rm(path, { force: true });
        auditLog.deleted(path, files);
      }
    } catch (cause) {
      auditLog.pruneFailed(auditFile, cause);
    }
  }
}
