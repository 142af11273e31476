import { IDENTIFIER, TIME } from '../../../../audit-trail/record-patterns.ts';
import type { Usage, UsageTotals } from '../../../../domain/model/usage.ts';

/*
 * What stands in Redis, for each replica, by its name (its instance id). Whoever can write there can write anything: what does not fit these patterns is as
 * if it were not there. The numbers are bounded so that sums over all replicas stay exact.
 */

/** What all keys begin with. */
export const USAGE_PREFIX = 'signing-service:usage:';

/** Hash: name of each replica → {@link indexText}. */
export const INDEX_KEY = `${USAGE_PREFIX}replicas`;

/** Keys of one replica. */
export interface ReplicaKeys {
  /** Hash: account ({@link accountField}) → {@link usageText}. */
  readonly counts: string;
  /** Sorted set: account → revision in which it was last written, so that others fetch only what they have not seen. */
  readonly changes: string;
  /** Text: who writes under this name just now; it expires. */
  readonly owner: string;
}

/** What the index says of a replica. */
export interface IndexEntry {
  /** The process that wrote it. Another one counts its revisions anew, so that everything of it has to be read. */
  readonly writer: string;
  /** Highest revision of its changes; it only goes up. */
  readonly revision: number;
  readonly totals: UsageTotals;
}

const NAME = new RegExp(`^${IDENTIFIER}$`);
const ACCOUNT = new RegExp(`^(${IDENTIFIER})/(${IDENTIFIER})$`);
const USAGE = new RegExp(`^(\\d{1,12}),(${TIME})?,(\\d{1,12})$`);
const INDEX = /^([0-9a-f-]{1,36}),(\d{1,15}),(\d{1,12}),(\d{1,12})$/;

/** The keys of the replica of that name. */
export function keysOf(name: string): ReplicaKeys {
  return {
    counts: `${USAGE_PREFIX}counts:${name}`,
    changes: `${USAGE_PREFIX}changes:${name}`,
    owner: `${USAGE_PREFIX}owner:${name}`,
  };
}

/** Whether a text can be the name of a replica. */
export function isReplicaName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text);
}

/** An account, in one text: no id has a `/` in it. */
export function accountField(platformId: string, accountId: string): string {
  return `${platformId}/${accountId}`;
}

/** The ids in a field that {@link accountField} made. */
export function accountOf(field: string): readonly [platformId: string, accountId: string] {
  const slash = field.indexOf('/');
  return [field.slice(0, slash), field.slice(slash + 1)];
}

/** Whether a text names an account. */
export function isAccountField(text: unknown): text is string {
  return typeof text === 'string' && ACCOUNT.test(text);
}

/** `totalSigns,lastSignAt,errorCount`, absolute: written twice, it counts once. */
export function usageText({ totalSigns, lastSignAt, errorCount }: Usage): string {
  return `${totalSigns},${lastSignAt ?? ''},${errorCount}`;
}

/** Null for what is none. */
export function parseUsage(text: unknown): Usage | null {
  const match = typeof text === 'string' ? USAGE.exec(text) : null;
  if (match === null) return null;
  return { totalSigns: Number(match[1]), lastSignAt: match[2] ?? null, errorCount: Number(match[3]) };
}

/** `writer,revision,totalSigns,errorCount`. */
export function indexText({ writer, revision, totals }: IndexEntry): string {
  return `${writer},${revision},${totals.totalSigns},${totals.errorCount}`;
}

/** Null for what is none. */
export function parseIndexEntry(text: unknown): IndexEntry | null {
  const match = typeof text === 'string' ? INDEX.exec(text) : null;
  if (match === null) return null;
  const [, writer = '', revision, totalSigns, errorCount] = match;
  return {
    writer,
    revision: Number(revision),
    totals: { totalSigns: Number(totalSigns), errorCount: Number(errorCount) },
  };
}
