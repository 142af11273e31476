import { isJsonObject, type JsonValue } from '../../../domain/model/json.ts';
import { list, number, text } from '../../status-view/json-members.ts';
import { formatTime } from '../../status-view/status-view.ts';
import type { Style, TerminalStyle } from '../terminal/style.ts';
import { type Column, renderTable } from '../terminal/table.ts';

/** Rows of each kind of refusal. */
const MAX_REFUSED = 5;
const MAX_RECORDS = 10;

const REFUSED_COLUMNS: readonly Column[] = [
  { heading: 'REFUSED', truncate: 'middle' },
  { heading: 'COUNT' },
  { heading: 'LAST CODE' },
  { heading: 'LAST TIME', optional: true },
];

const OUTCOME_STYLES: { readonly [outcome: string]: Style } = { success: 'green', refused: 'yellow', failed: 'red' };

const RECORD_COLUMNS: readonly Column[] = [
  { heading: 'LAST RECORDS' },
  { heading: 'EVENT' },
  { heading: 'OUTCOME', style: (cell) => OUTCOME_STYLES[cell] },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'CALLER', truncate: 'end' },
  { heading: 'CODE', truncate: 'end' },
  { heading: 'POLICY', truncate: 'end', optional: true },
];

/** Refusals and the last audit records as tables; empty without activity. */
export function formatActivityTables(activity: JsonValue | undefined, terminal: TerminalStyle): string {
  if (!isJsonObject(activity)) return '';
  const refused = [
    ...refusedRows(activity, 'accounts', (entry) => `account ${text(entry, 'platformId')}/${text(entry, 'accountId')}`),
    ...refusedRows(activity, 'callers', (entry) => `caller ${formatCaller(text(entry, 'principal'))}`),
    ...refusedRows(activity, 'policies', (entry) => `policy ${text(entry, 'policy')}`),
  ];
  const records = list(activity, 'records').slice(0, MAX_RECORDS).map(toRecordRow);
  return [
    refused.length === 0 ? '' : `\n${renderTable(REFUSED_COLUMNS, refused, terminal)}`,
    records.length === 0 ? '' : `\n${renderTable(RECORD_COLUMNS, records, terminal)}`,
  ].join('');
}

function refusedRows(
  activity: JsonValue,
  kind: string,
  name: (entry: JsonValue) => string,
): readonly (readonly string[])[] {
  return list(activity, 'refusedBy', kind)
    .slice(0, MAX_REFUSED)
    .map((entry) => [
      name(entry),
      String(number(entry, 'count')),
      text(entry, 'lastCode') ?? '',
      formatTime(text(entry, 'lastAt') ?? ''),
    ]);
}

function toRecordRow(record: JsonValue): readonly string[] {
  const [platformId, accountId] = [text(record, 'platformId'), text(record, 'accountId')];
  return [
    formatTime(text(record, 'time') ?? ''),
    text(record, 'event') ?? '',
    text(record, 'outcome') ?? '',
    platformId === null && accountId === null ? '-' : `${platformId ?? '-'}/${accountId ?? '-'}`,
    text(record, 'principal') ?? '-',
    text(record, 'errorCode') ?? '',
    text(record, 'policy') ?? '',
  ];
}

function formatCaller(principal: string | null): string {
  return principal ?? '(not authenticated)';
}
