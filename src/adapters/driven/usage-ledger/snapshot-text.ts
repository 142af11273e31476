import { z } from 'zod';
import { type ChainHead, PATTERNS } from '../../../audit-trail/audit-record.ts';
import type { Usage, UsageTotals } from '../../../domain/model/usage.ts';
import type { LedgerState, PlatformUsage } from './memory-usage-ledger.ts';

/** The counters as they stood behind one record. */
export interface UsageSnapshot {
  /** That record; what was counted is the chain up to it. */
  readonly head: ChainHead;
  /** Offset behind it in the file that it is on, bytes; left out where that is not known. */
  readonly size?: number | undefined;
  /** Whether the service ended in order with it, so that nothing followed. */
  readonly closed: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly savedAt: string;
  readonly state: LedgerState;
}

/** Accounts that are written in one turn of the event loop: about a millisecond. */
const SLICE = 1000;

const count = z.int().min(0);
const time = z.string().regex(new RegExp(`^${PATTERNS.time}$`));
const id = z.string().min(1).max(128);

/** Of each account: platform id, account id, totalSigns, lastSignAt, errorCount. */
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
    hash: z
      .string()
      .regex(new RegExp(`^${PATTERNS.digest}$`))
      .nullable(),
    size: count.optional(),
    closed: z.boolean(),
    savedAt: time,
    totals: z.strictObject({ totalSigns: count, errorCount: count }),
    accounts: z.array(accountSchema),
  })
  .refine(({ seq, hash }) => (seq === 0) === (hash === null))
  .refine(addsUp);

/** The snapshot in a text; null when it is none, or not a whole one. */
export function parseSnapshot(text: string): UsageSnapshot | null {
  const parsed = snapshotSchema.safeParse(parsedJson(text));
  if (!parsed.success) return null;
  const { seq, hash, size, closed, savedAt, totals, accounts } = parsed.data;
  const platforms = platformsOf(accounts);
  return platforms === null ? null : { head: { seq, hash }, size, closed, savedAt, state: { totals, platforms } };
}

/** A snapshot as JSON, an account a line, in pieces that are made when they are asked for, so that many accounts don't take one long turn. */
export function* snapshotSlices({ head, size, closed, savedAt, state }: UsageSnapshot): Generator<string> {
  const facts = { version: 1, seq: head.seq, hash: head.hash, size, closed, savedAt, totals: state.totals };
  let slice = `${JSON.stringify(facts).slice(0, -1)},"accounts":[`;
  let separator = '\n';
  let inSlice = 0;
  for (const { platformId, accountId, usage } of accountsOf(state)) {
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

function* accountsOf({
  platforms,
}: LedgerState): Generator<{ readonly platformId: string; readonly accountId: string; readonly usage: Usage }> {
  for (const { platformId, accountIds, usages } of platforms) {
    for (const [index, accountId] of accountIds.entries()) {
      const usage = usages[index];
      if (usage !== undefined) yield { platformId, accountId, usage };
    }
  }
}

/** Every signature is that of an account; errors may be of accounts that do not exist. */
function addsUp({ totals, accounts }: CountersJson): boolean {
  let signs = 0;
  let errors = 0;
  for (const [, , totalSigns, , errorCount] of accounts) {
    signs += totalSigns;
    errors += errorCount;
  }
  return signs === totals.totalSigns && errors <= totals.errorCount;
}

/** Null when an account is named twice. */
function platformsOf(accounts: readonly AccountJson[]): readonly PlatformUsage[] | null {
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

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
