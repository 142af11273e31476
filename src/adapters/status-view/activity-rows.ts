import type { JsonValue } from '../../domain/model/json.ts';
import { list, number, text } from './json-members.ts';
import { formatTime } from './status-view.ts';

/**
 * Refused accounts, callers and policies of a status with activity: name, count, code and time of
 * the last refusal.
 * @param max rows of each kind
 */
export function refusalRows(status: JsonValue, max: number): readonly (readonly string[])[] {
  const rows = (kind: string, toName: (entry: JsonValue) => string) =>
    list(status, 'activity', 'refusedBy', kind)
      .slice(0, max)
      .map((entry) => [
        toName(entry),
        String(number(entry, 'count')),
        text(entry, 'lastCode') ?? '',
        formatTime(text(entry, 'lastAt') ?? ''),
      ]);
  return [
    ...rows('accounts', (entry) => `account ${text(entry, 'platformId')}/${text(entry, 'accountId')}`),
    ...rows('callers', (entry) => `caller ${text(entry, 'principal') ?? '(not authenticated)'}`),
    ...rows('policies', (entry) => `policy ${text(entry, 'policy')}`),
  ];
}

/**
 * The last audit records of a status with activity, newest first: time, event, outcome, account,
 * caller, error code, policy and request ID.
 */
export function recordRows(status: JsonValue, max: number): readonly (readonly string[])[] {
  return list(status, 'activity', 'records')
    .slice(0, max)
    .map((record) => {
      const [platformId, accountId] = [text(record, 'platformId'), text(record, 'accountId')];
      return [
        formatTime(text(record, 'time') ?? ''),
        text(record, 'event') ?? '',
        text(record, 'outcome') ?? '',
        platformId === null && accountId === null ? '-' : `${platformId ?? '-'}/${accountId ?? '-'}`,
        text(record, 'principal') ?? '-',
        text(record, 'errorCode') ?? '',
        text(record, 'policy') ?? '',
        text(record, 'correlationId') ?? '',
      ];
    });
}
