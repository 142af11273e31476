import { resolve } from 'node:path';
import { z } from 'zod';
import type { Usage, UsageTotals } from '../../domain/model/account.ts';
import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { anchored, PATTERNS } from '../../domain/model/audit-entry.ts';
import { UnsuitableFileError, withRegularFile } from '../files/open-regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { LedgerState, PlatformUsage } from './memory-usage-ledger.ts';

/** The counters as of one record. */
export interface UsageSnapshot {
  /** That record. */
  readonly head: AuditHead;
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly savedAt: string;
  readonly state: LedgerState;
}

/** Accounts per slice: about a millisecond. */
const SLICE = 1000;

const count = z.int().min(0);
const time = z.string().regex(anchored(PATTERNS.time));
const id = z.string().min(1).max(128);

/** platformId, accountId, totalSigns, lastSignAt, errorCount */
const accountSchema = z.tuple([id, id, count, time.nullable(), count]);

type AccountJson = z.infer<typeof accountSchema>;

interface CountersJson {
  readonly totals: UsageTotals;
  readonly accounts: readonly AccountJson[];
}

const snapshotSchema = z
  .strictObject({
    version: z.literal(1),
    seq: count,
    hash: z.string().regex(anchored(PATTERNS.digest)).nullable(),
    closed: z.boolean(),
    savedAt: time,
    totals: z.strictObject({ totalSigns: count, errorCount: count }),
    accounts: z.array(accountSchema),
  })
  .refine(({ seq, hash }) => (seq === 0) === (hash === null))
  .refine(addsUp);

/** Parses a snapshot; null when invalid or incomplete. */
function parseSnapshot(text: string): UsageSnapshot | null {
  const parsed = snapshotSchema.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { seq, hash, closed, savedAt, totals, accounts } = parsed.data;
  const platforms = groupByPlatform(accounts);
  return platforms === null ? null : { head: { seq, hash }, closed, savedAt, state: { totals, platforms } };
}

/** A snapshot as JSON, one account per line, in lazy slices that do not block the event loop. */
function* snapshotSlices({ head, closed, savedAt, state }: UsageSnapshot): Generator<string> {
  const facts = { version: 1, seq: head.seq, hash: head.hash, closed, savedAt, totals: state.totals };
  let slice = `${JSON.stringify(facts).slice(0, -1)},"accounts":[`;
  let separator = '\n';
  let inSlice = 0;
  for (const { platformId, accountId, usage } of listAccounts(state)) {
    const { totalSigns, lastSignAt, errorCount } = usage;
    slice += separator + JSON.stringify([platformId, accountId, totalSigns, lastSignAt, errorCount]);
    separator = ',\n';
    inSlice += 1;
    if (inSlice === SLICE) {
      yield slice;
      slice = '';
      inSlice = 0;
    }
  }
  yield `${slice}\n]}\n`;
}

function* listAccounts({
  platforms,
}: LedgerState): Generator<{ readonly platformId: string; readonly accountId: string; readonly usage: Usage }> {
  for (const { platformId, accountIds, usages } of platforms) {
    for (const [index, accountId] of accountIds.entries()) {
      const usage = usages[index];
      if (usage !== undefined) yield { platformId, accountId, usage };
    }
  }
}

/** All signatures belong to accounts; errors may be of unknown ones. */
function addsUp({ totals, accounts }: CountersJson): boolean {
  let signs = 0;
  let errors = 0;
  for (const [, , totalSigns, , errorCount] of accounts) {
    signs += totalSigns;
    errors += errorCount;
  }
  return signs === totals.totalSigns && errors <= totals.errorCount;
}

/** Null for a duplicate account. */
function groupByPlatform(accounts: readonly AccountJson[]): readonly PlatformUsage[] | null {
  const platforms = new Map<string, Map<string, Usage>>();
  for (const [platformId, accountId, totalSigns, lastSignAt, errorCount] of accounts) {
    const usages = platforms.get(platformId) ?? new Map<string, Usage>();
    if (usages.has(accountId)) return null;
    platforms.set(platformId, usages.set(accountId, { totalSigns, lastSignAt, errorCount }));
  }
  return [...platforms].map(([platformId, usages]) => ({
    platformId,
    accountIds: [...usages.keys()],
    usages: [...usages.values()],
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface SnapshotError {
  /** Completes a sentence that begins with the file's path. */
  readonly issue: string;
}

const DAMAGED: SnapshotError = { issue: 'is corrupt' };
/** About seven times 100,000 accounts with the longest IDs. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Path of an audit file's snapshot: `.usage` appended. */
export function snapshotPath(auditFile: string): string {
  return `${resolve(auditFile)}.usage`;
}

/**
 * Reads the snapshot of an audit file. A damaged one is not thrown: it can be rebuilt from the
 * records.
 * @returns null when there is none
 */
export async function readSnapshot(auditFile: string): Promise<UsageSnapshot | SnapshotError | null> {
  try {
    const options = { maxBytes: MAX_FILE_BYTES, noFollow: true };
    const text = await withRegularFile(snapshotPath(auditFile), options, ({ handle }) => handle.readFile('utf8'));
    return parseSnapshot(text) ?? DAMAGED;
  } catch (error) {
    if (error instanceof UnsuitableFileError) return DAMAGED;
    const code = systemErrorCode(error);
    return code === 'ENOENT' ? null : { issue: `cannot be read (${code})` };
  }
}

/**
 * Replaces the snapshot atomically and durably; only the service's user can read it. Slices of
 * 1,000 accounts keep the event loop free. Only for the writer of the audit file; calls must not
 * overlap.
 * @throws OperatorError when it cannot be written; the old one remains
 */
export async function writeSnapshot(auditFile: string, snapshot: UsageSnapshot): Promise<void> {
  await replaceFile(snapshotPath(auditFile), {
    write: async (handle) => {
      for (const slice of snapshotSlices(snapshot)) await handle.writeFile(slice);
    },
  });
}
