import type { JsonObject } from '../../../domain/model/json.ts';
import { recordRows, refusalRows } from '../../status-view/activity-rows.ts';
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
export function formatActivityTables(status: JsonObject, terminal: TerminalStyle): string {
  const refused = refusalRows(status, MAX_REFUSED);
  // The request ID is too wide.
  const records = recordRows(status, MAX_RECORDS).map((row) => row.slice(0, RECORD_COLUMNS.length));
  return [
    refused.length === 0 ? '' : `\n${renderTable(REFUSED_COLUMNS, refused, terminal)}`,
    records.length === 0 ? '' : `\n${renderTable(RECORD_COLUMNS, records, terminal)}`,
  ].join('');
}
