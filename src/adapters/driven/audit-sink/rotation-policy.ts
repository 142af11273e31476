import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rotatedRange } from '../../../audit-trail/segment-files.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { AuditFile } from './audit-file.ts';
import type { AuditNotices } from './audit-notices.ts';

/** When a file of the chain is followed by the next, and how many stay. 0: never, and all. */
export interface RotationLimits {
  readonly bytes: number;
  readonly hours: number;
  /** Rotated files that are kept. */
  readonly files: number;
}

const MS_PER_HOUR = 3_600_000;
/** How long the file goes on that could not be rotated, milliseconds. */
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

  /**
   * Why the next file has to be begun now; null when it has not. A file with nothing but its
   * segment record stays.
   */
  dueReason(file: Pick<AuditFile, 'size' | 'begunAt' | 'records'>): 'size' | 'age' | null {
    if (file.records <= 1 || this.#clock.monotonic() < this.#notBefore) return null;
    const { bytes, hours } = this.#limits;
    if (bytes > 0 && file.size >= bytes) return 'size';
    return hours > 0 && Math.abs(this.#clock.now() - file.begunAt) >= hours * MS_PER_HOUR ? 'age' : null;
  }

  /** It could not be done: the next try is a minute away. */
  postpone(): void {
    this.#notBefore = this.#clock.monotonic() + POSTPONED_MS;
  }

  /** Deletes the oldest of the files that the service itself rotated, where more are there than are to be kept. Never throws. */
  async prune(file: string, notices: AuditNotices): Promise<void> {
    const { files } = this.#limits;
    if (files === 0) return;
    try {
      const folder = dirname(file);
      const rotated = (await readdir(folder))
        .flatMap((name) => rotatedRange(basename(file), name) ?? [])
        .sort((left, right) => left.firstSeq - right.firstSeq);
      for (const { name } of rotated.slice(0, Math.max(0, rotated.length - files))) {
        await unlink(join(folder, name));
        notices.deleted(join(folder, name), files);
      }
    } catch (cause) {
      notices.notPruned(file, cause);
    }
  }
}
