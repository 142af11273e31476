import { CsvError, parse } from 'csv-parse/sync';
import { fieldNameFault, valueNameOf } from './field-name-fault.ts';
import { type ImportFault, type ImportField, type ImportRow, isImportField, type ReadRows } from './import-row.ts';

/** One line of cells, or several lines where a cell in quotes has line breaks. */
interface Record {
  readonly cells: readonly string[];
  /** On which it ends, from 1. */
  readonly line: number;
}

/** What a column holds; null: nothing that is known. */
type Target = { readonly field: ImportField } | { readonly value: string } | null;

/** Reads comma-separated values (RFC 4180), separated by semicolons or tabs where its first line has those and no comma. The first line names the columns. */
export function csvRows(text: string): ReadRows {
  const { records, fault } = parsed(text);
  if (fault !== null) return { rows: [], faults: [fault] };
  const [header, ...rest] = records;
  if (header === undefined)
    return { rows: [], faults: [{ ...NOWHERE, message: 'has no line that names its columns' }] };
  const { targets, faults } = targetsOf(header);
  if (faults.length > 0) return { rows: [], faults };
  const rows: ImportRow[] = [];
  for (const [index, { cells, line }] of rest.entries()) {
    const row = index + 1;
    if (cells.length === targets.length) rows.push(rowOf(row, line, cells, targets));
    else
      faults.push({
        row,
        line,
        field: null,
        message: `has ${cells.length} cells, and there are ${targets.length} columns`,
      });
  }
  return { rows, faults };
}

const NOWHERE = { row: null, line: null, field: null };

function parsed(text: string): { readonly records: readonly Record[]; readonly fault: ImportFault | null } {
  try {
    const read = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    return { records: read.map(({ record, info }) => ({ cells: record, line: info.lines })), fault: null };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Its own message repeats what stands there.
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    const message = 'is not valid CSV: check the quotes, of which each has to be closed, and doubled within quotes';
    return { records: [], fault: { row: null, line, field: null, message } };
  }
}

function delimiterOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  if (first.includes(',')) return ',';
  return first.includes(';') ? ';' : first.includes('\t') ? '\t' : ',';
}

function targetsOf({ cells, line }: Record): { readonly targets: readonly Target[]; readonly faults: ImportFault[] } {
  const faults: ImportFault[] = [];
  const targets = cells.map((name, index): Target => {
    if (cells.indexOf(name) !== index) faults.push({ row: null, line, field: null, message: 'names a column twice' });
    if (isImportField(name)) return { field: name };
    const value = valueNameOf(name);
    if (value !== undefined) return { value };
    faults.push({ row: null, line, ...fieldNameFault(name) });
    return null;
  });
  return { targets, faults };
}

function rowOf(row: number, line: number, cells: readonly string[], targets: readonly Target[]): ImportRow {
  const fields = new Map<ImportField, string>();
  const values = new Map<string, string>();
  for (const [index, target] of targets.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '' || target === null) continue;
    if ('field' in target) fields.set(target.field, cell);
    else values.set(target.value, cell);
  }
  return { row, line, fields, values: values.size === 0 ? undefined : Object.fromEntries(values) };
}
