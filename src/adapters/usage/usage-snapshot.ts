import { z } from 'zod';
import { IDENTIFIER_PATTERN, toAccountName } from '../../domain/model/account.ts';
import { type AuditHead, anchored, PATTERNS } from '../../domain/model/audit-entry.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { UnsuitableFileError } from '../files/open-regular-file.ts';
import { readState, statePath, writeState } from '../files/state-file.ts';
import { isSystemError, systemErrorCode } from '../files/system-error-code.ts';
import type { MemoryUsageLedger, UsageState } from './memory-usage-ledger.ts';

/** The counters as of one record. */
export interface UsageSnapshot {
  /** That record. */
  readonly head: AuditHead;
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
  readonly state: UsageState;
}

/** Records between snapshots of a long segment; bounds the work of a start. */
const MAX_RECORDS = 100_000;

const count = z.int().min(0);
const time = z.string().regex(anchored(PATTERNS.time));
const id = z.string().regex(IDENTIFIER_PATTERN);

const snapshotSchema = z
  .strictObject({
    version: z.literal(1),
    seq: count,
    hash: z.string().regex(anchored(PATTERNS.digest)).nullable(),
    closed: z.boolean(),
    /** For operators. */
    savedAt: time,
    totals: z.strictObject({ totalSigns: count, errorCount: count }),
    /** platformId, accountId, totalSigns, lastSignAt, errorCount */
    accounts: z.array(z.tuple([id, id, count, time.nullable(), count])),
  })
  .transform(({ seq, hash, closed, totals, accounts }): UsageSnapshot => {
    const usages = accounts.map(
      ([platformId, accountId, totalSigns, lastSignAt, errorCount]) =>
        [toAccountName({ platformId, accountId }), { totalSigns, lastSignAt, errorCount }] as const,
    );
    return { head: { seq, hash }, closed, state: { totals, accounts: usages } };
  });

/**
 * Reads the snapshot of an audit file; null without one. Also for an unusable one, which is logged:
 * it can be rebuilt from the records.
 */
export async function readSnapshot(auditFile: string, log: ServiceLog): Promise<UsageSnapshot | null> {
  const file = statePath(auditFile, 'usage');
  try {
    return await readState(file, snapshotSchema);
  } catch (error) {
    const code = isSystemError(error) || error instanceof UnsuitableFileError ? systemErrorCode(error) : null;
    const issue = code === null ? 'is corrupt' : `cannot be read (${code})`;
    log.warn(`The snapshot of the usage counters ${issue}. Recounting from the audit records.`, { file });
    return null;
  }
}

interface SnapshotWriterOptions extends Pick<Ports, 'clock' | 'log'> {
  readonly auditFile: string;
  readonly ledger: MemoryUsageLedger;
  /** The last record that the ledger counted. */
  readonly head: () => AuditHead;
}

/** Replaces the snapshot, one at a time. Only for the writer of the audit file. */
export class SnapshotWriter {
  readonly #options: SnapshotWriterOptions;
  #lastSeq = 0;
  #writing: Promise<boolean> = Promise.resolve(true);

  constructor(options: SnapshotWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes a snapshot, durably; only the service's user can read it. Never rejects: a failure is
   * logged, and the old one remains.
   * @param closed whether the chain is known to end with it
   * @returns whether it was written
   */
  save(closed = false): Promise<boolean> {
    this.#lastSeq = this.#options.head().seq;
    this.#writing = this.#writing.then(() => this.#write(closed));
    return this.#writing;
  }

  /** Writes one if many records follow the last one. */
  saveIfDue(): void {
    if (this.#options.head().seq - this.#lastSeq >= MAX_RECORDS) void this.save();
  }

  async #write(closed: boolean): Promise<boolean> {
    const { auditFile, ledger, head, clock, log } = this.#options;
    const file = statePath(auditFile, 'usage');
    // In one tick, so that the ledger matches the head.
    const { totals, accounts } = ledger.state();
    const facts = { version: 1, ...head(), closed, savedAt: new Date(clock.now()).toISOString(), totals };
    try {
      await writeState(file, facts, 'accounts', toRows(accounts));
      return true;
    } catch (cause) {
      const message = 'The snapshot of the usage counters could not be written. The next start recounts more records.';
      log.error(message, { file, cause }, { topic: 'usage snapshots' });
      return false;
    }
  }
}

function* toRows(accounts: UsageState['accounts']) {
  for (const [name, { totalSigns, lastSignAt, errorCount }] of accounts)
    yield [...name.split('/'), totalSigns, lastSignAt, errorCount];
}
