import type { Clock } from '../../ports/clock.ts';
import type { AccountIds } from '../model/account.ts';
import type { AuditEntry } from '../model/audit-entry.ts';
import type { Immutable } from '../model/json.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { ReloadResult } from './reload-description.ts';

/** Width of a sample, seconds. */
const INTERVAL_SECONDS = 5;

/** Samples kept: five minutes. */
const MAX_SAMPLES = 60;

/** Records kept. */
const MAX_RECORDS = 20;

/** Accounts, callers and policies that are counted one by one at a time; the rest is one count. */
const MAX_COUNTED = 200;

/** Accounts, callers and policies in a report. */
const MAX_REPORTED = 20;

/** Refusals of one account, caller or policy since the process started. */
interface RefusalCount {
  readonly count: number;
  /** Error code of the last one; null if it had none. */
  readonly lastCode: string | null;
  /** ISO 8601 UTC. */
  readonly lastAt: string;
}

/** An audit record without its payload, request data and digests; null as in the record. */
export type RecentRecord = Pick<
  AuditEntry,
  'time' | 'event' | 'outcome' | 'errorCode' | 'platformId' | 'accountId' | 'principal' | 'policy' | 'correlationId'
>;

/**
 * Recent activity of this process, in memory. Each field is documented in `statusResponse` of
 * adapters/http/schemas/status-responses.ts, against which the compiler checks it.
 */
export type ActivityReport = Immutable<ReturnType<RecentActivity['report']>>;

/** Time that {@link recentRate} covers, seconds. */
const RATE_SECONDS = 60;

/**
 * Mean rate of the last minute, or of a shorter time since the start, per second.
 * @param counts as in {@link ActivityReport}
 */
export function recentRate(counts: readonly number[], intervalSeconds: number): number {
  const last = counts.slice(-Math.max(1, Math.round(RATE_SECONDS / intervalSeconds)));
  return last.length === 0 ? 0 : last.reduce((sum, count) => sum + count, 0) / (last.length * intervalSeconds);
}

type Mutable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

/**
 * Refusals by key; bounded, so that invented names cannot fill the memory. A new one replaces the
 * one with the fewest refusals, so that invented names cannot hide later ones either.
 */
class RefusalCounts<Subject extends object> {
  readonly #counts = new Map<string, Mutable<RefusalCount> & { readonly subject: Subject }>();
  others = 0;

  count(key: string, toSubject: () => Subject, { code, time }: { code: string | null; time: string }): void {
    const counted = this.#counts.get(key);
    if (counted !== undefined) {
      counted.count += 1;
      counted.lastCode = code;
      counted.lastAt = time;
    } else {
      if (this.#counts.size >= MAX_COUNTED) this.#mergeFewest();
      this.#counts.set(key, { subject: toSubject(), count: 1, lastCode: code, lastAt: time });
    }
  }

  /** Moves the key with the fewest refusals, the first of equals, to the others. */
  #mergeFewest(): void {
    let fewest = '';
    let min = Number.POSITIVE_INFINITY;
    for (const [key, { count }] of this.#counts) {
      if (count >= min) continue;
      fewest = key;
      min = count;
    }
    this.#counts.delete(fewest);
    this.others += min;
  }

  report(): (RefusalCount & Subject)[] {
    return [...this.#counts.values()]
      .toSorted((left, right) => right.count - left.count)
      .slice(0, MAX_REPORTED)
      .map(({ subject, count, lastCode, lastAt }) => ({ ...subject, count, lastCode, lastAt }));
  }
}

/**
 * Counts audit entries for the status: signatures by interval, refusals by account, caller and
 * policy, and the last durable records. An attempt that could not be recorded counts as refused.
 * Counting a signature allocates no memory.
 */
export class RecentActivity {
  readonly #clock: Clock;
  readonly #reloads: Pick<RegistryHolder, 'lastResult'>;
  readonly #startedAt: number;
  /** By interval modulo their length; one more than reported, for the current interval. */
  readonly #signatures = new Uint32Array(MAX_SAMPLES + 1);
  readonly #refusals = new Uint32Array(MAX_SAMPLES + 1);
  /** Intervals since the start. */
  #interval = 0;
  readonly #records: Mutable<RecentRecord>[] = [];
  #recorded = 0;
  readonly #accounts = new RefusalCounts<{ platformId: string; accountId: string }>();
  readonly #callers = new RefusalCounts<{ principal: string | null }>();
  readonly #policies = new RefusalCounts<{ policy: string }>();

  constructor(clock: Clock, reloads: Pick<RegistryHolder, 'lastResult'>) {
    this.#clock = clock;
    this.#reloads = reloads;
    this.#startedAt = clock.monotonic();
  }

  /** Counts a durable record. @param at time of the monotonic clock, milliseconds */
  record(entry: AuditEntry, at: number): void {
    this.#keep(entry);
    const isSigned = entry.outcome === 'success';
    if (entry.event === 'sign') this.#countAttempt(isSigned ? this.#signatures : this.#refusals, at);
    if (!isSigned) this.#countRefusal(entry, entry.errorCode);
  }

  /**
   * Counts an entry that could not be recorded, so that its result was withheld.
   * @param at monotonic clock
   */
  recordFailed(entry: AuditEntry, at: number): void {
    if (entry.event === 'sign') this.#countAttempt(this.#refusals, at);
    this.#countRefusal(entry, 'SIGNATURE_FAILED');
  }

  /** At most 20 accounts, callers and policies, the most frequent first. */
  report() {
    this.#advance(this.#clock.monotonic());
    return {
      intervalSeconds: INTERVAL_SECONDS,
      signatures: this.#samples(this.#signatures),
      refusals: this.#samples(this.#refusals),
      refusedBy: {
        accounts: this.#accounts.report(),
        callers: this.#callers.report(),
        policies: this.#policies.report(),
        others: {
          accounts: this.#accounts.others,
          callers: this.#callers.others,
          policies: this.#policies.others,
        },
      },
      records: this.#lastRecords(),
      lastLoad: this.#reloads.lastResult,
    };
  }

  #countAttempt(counts: Uint32Array, at: number): void {
    this.#advance(at);
    const slot = this.#interval % (MAX_SAMPLES + 1);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }

  /** Field by field into the oldest slot: keeps no request data alive and allocates nothing. */
  #keep(entry: AuditEntry): void {
    const slot = this.#records[this.#recorded % MAX_RECORDS];
    this.#recorded += 1;
    if (slot === undefined) {
      this.#records.push(toRecentRecord(entry));
      return;
    }
    slot.time = entry.time;
    slot.event = entry.event;
    slot.outcome = entry.outcome;
    slot.errorCode = entry.errorCode;
    slot.platformId = entry.platformId;
    slot.accountId = entry.accountId;
    slot.principal = entry.principal;
    slot.policy = entry.policy;
    slot.correlationId = entry.correlationId;
  }

  #lastRecords(): RecentRecord[] {
    const newest = this.#recorded % MAX_RECORDS;
    const oldestFirst = [...this.#records.slice(newest), ...this.#records.slice(0, newest)];
    return oldestFirst.reverse().map(toRecentRecord);
  }

  /** Clears the intervals that began since the last call. */
  #advance(at: number): void {
    const interval = Math.floor((at - this.#startedAt) / (INTERVAL_SECONDS * 1000));
    const begun = Math.min(interval - this.#interval, MAX_SAMPLES + 1);
    for (let back = 0; back < begun; back += 1) {
      this.#signatures[(interval - back) % (MAX_SAMPLES + 1)] = 0;
      this.#refusals[(interval - back) % (MAX_SAMPLES + 1)] = 0;
    }
    this.#interval = interval;
  }

  #samples(counts: Uint32Array): number[] {
    const length = Math.min(this.#interval, MAX_SAMPLES);
    const first = this.#interval - length;
    return Array.from({ length }, (_, index) => counts[(first + index) % (MAX_SAMPLES + 1)] ?? 0);
  }

  #countRefusal(entry: AuditEntry, code: string | null): void {
    const { platformId, accountId, principal, correlationId, time } = entry;
    const refusal = { code, time };
    if (platformId !== null && accountId !== null) {
      // No ID has a space.
      this.#accounts.count(`${platformId} ${accountId}`, () => ({ platformId, accountId }), refusal);
    }
    // Reloads by signals and file changes have no request, hence no caller.
    if (correlationId !== null) {
      // The prefix keeps names apart from the key of unauthenticated callers.
      this.#callers.count(principal === null ? '' : `=${principal}`, () => ({ principal }), refusal);
    }
    for (const policy of refusingPolicies(code, entry.policy))
      this.#policies.count(policy, () => ({ policy }), refusal);
  }
}

function toRecentRecord({ time, event, outcome, errorCode, ...rest }: RecentRecord): RecentRecord {
  const { platformId, accountId, principal, policy, correlationId } = rest;
  return { time, event, outcome, errorCode, platformId, accountId, principal, policy, correlationId };
}

/** Policies or budgets that refused, from the record's `policy`, which lists all that applied. */
function refusingPolicies(errorCode: string | null, policy: string | null): readonly string[] {
  if (policy === null) return [];
  const names = policy.split(',');
  if (errorCode === 'BUDGET_EXCEEDED') return names.filter((name) => name.startsWith('budget:'));
  if (errorCode === 'POLICY_DENIED') return names.filter((name) => !/^(?:audit|budget):/.test(name));
  return [];
}

type RefusedBy = ActivityReport['refusedBy'];

type IsReadable = (account: AccountIds) => boolean;

/**
 * A report for a caller that may not read all accounts: without names, keys and records of the
 * others, whose refusals and changes are only counted.
 */
export function hideAccounts(report: ActivityReport, isReadable: IsReadable): ActivityReport {
  const { refusedBy, records, lastLoad } = report;
  return {
    ...report,
    refusedBy: hideRefused(refusedBy, isReadable),
    records: records.filter(
      ({ platformId, accountId }) => platformId === null || isReadable({ platformId, accountId: accountId ?? '' }),
    ),
    lastLoad: lastLoad === null ? null : hideLoaded(lastLoad, isReadable),
  };
}

function hideRefused({ accounts, others, ...rest }: RefusedBy, isReadable: IsReadable): RefusedBy {
  const hidden = accounts.filter((account) => !isReadable(account));
  const count = hidden.reduce((total, refused) => total + refused.count, others.accounts);
  return { ...rest, accounts: accounts.filter(isReadable), others: { ...others, accounts: count } };
}

function hideLoaded({ accounts, keys, ...rest }: ReloadResult, isReadable: IsReadable): ReloadResult {
  return { ...rest, accounts: hideListed(accounts, isReadable), keys: hideListed(keys, isReadable) };
}

type Entry = string | { readonly account: string };

/** Entries that are left out count as omitted, see `BoundedLists`. */
function hideListed<Lists extends { readonly more: { readonly [list: string]: number } }>(
  lists: Lists,
  isReadable: IsReadable,
): Lists {
  const shown = Object.entries(lists.more).map(([name, more]) => {
    const entries = (lists as unknown as { readonly [list: string]: readonly Entry[] })[name] ?? [];
    const readable = entries.filter((entry) =>
      isReadable(parseName(typeof entry === 'string' ? entry : entry.account)),
    );
    return { name, readable, more: more + entries.length - readable.length };
  });
  return {
    ...Object.fromEntries(shown.map(({ name, readable }) => [name, readable])),
    more: Object.fromEntries(shown.map(({ name, more }) => [name, more])),
  } as unknown as Lists;
}

/** Of `platformId/accountId`. */
function parseName(name: string): AccountIds {
  const [platformId = '', accountId = ''] = name.split('/');
  return { platformId, accountId };
}
