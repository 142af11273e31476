import type { FilterFields, FollowedRecord } from '../../../domain/model/audit-sighting.ts';

/** Which records are asked for; undefined: not asked for by this. */
export interface TailFilter {
  /** Account ids, or `platformId/accountId`: neither id can hold a slash. */
  readonly account?: readonly string[] | undefined;
  readonly outcome?: readonly FollowedRecord['outcome'][] | undefined;
  readonly event?: readonly FollowedRecord['event'][] | undefined;
}

/** Events of records that name an account. */
const OF_ACCOUNTS: readonly FollowedRecord['event'][] = ['sign', 'verify'];

/**
 * Whether a record is asked for; null when every one is. Who asks for an account or an outcome looks for signatures: other events come only when they are named, and then
 * whatever account was named, as they have none.
 */
export function recordFilter({ account, outcome, event }: TailFilter): ((record: FilterFields) => boolean) | null {
  if (account === undefined && outcome === undefined && event === undefined) return null;
  const events: readonly string[] = event ?? ['sign'];
  const outcomes: readonly string[] | undefined = outcome;
  return (record) =>
    events.includes(record.event) &&
    (outcomes?.includes(record.outcome) ?? true) &&
    (!OF_ACCOUNTS.includes(record.event) || (account?.some((id) => isOf(record, id)) ?? true));
}

function isOf({ platformId, accountId }: FilterFields, id: string): boolean {
  return accountId !== null && (id === accountId || id === `${platformId}/${accountId}`);
}
