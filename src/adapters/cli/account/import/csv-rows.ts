import { CsvError, parse } from 'csv-parse/sync';
import { formatCount } from '../../../../domain/model/text/wording.ts';
import { type ImportField, type ImportIssue, type ImportRow, isImportField, type ReadRows } from './import-row.ts';
import { fieldNameIssue, getValueName } from './row-issues.ts';

/** Cells of a record; a quoted cell may span lines. */
interface Record {
  readonly cells: readonly string[];
  /** Its last line, from 1. */
  readonly line: number;
}

/** The field or value of a column; null if unknown. */
type Target = { readonly field: ImportField } | { readonly value: string } | null;

/**
 * Reads CSV (RFC 4180) with a header line. The delimiter is a comma, or else a semicolon or tab if
 * the header has one.
 */
export function csvRows(text: string): ReadRows {
  const { records, issue } = parseRecords(text);
  if (issue !== null) return { rows: [], issues: [issue] };
  const [header, ...rest] = records;
  if (header === undefined) return { rows: [], issues: [{ ...NO_POSITION, message: 'has no header line' }] };
  const { targets, issues } = parseHeader(header);
  if (issues.length > 0) return { rows: [], issues };
  const rows: ImportRow[] = [];
  for (const [index, { cells, line }] of rest.entries()) {
    const row = index + 1;
    if (cells.length === targets.length) rows.push(toRow(row, line, cells, targets));
    else
      issues.push({
        row,
        line,
        field: null,
        message: `has ${formatCount(cells.length, 'cell')}, but the header has ${targets.length}`,
      });
  }
  return { rows, issues };
}

const NO_POSITION = { row: null, line: null, field: null };

function parseRecords(text: string): { readonly records: readonly Record[]; readonly issue: ImportIssue | null } {
  try {
    const read = parse(text, {
      bom: true,
      delimiter: detectDelimiter(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    // Spreadsheets append rows and columns of delimiters alone.
    const widths = read.map(({ record }) => record.findLastIndex((cell) => cell !== '') + 1);
    const width = widths.reduce((widest, one) => Math.max(widest, one), 0);
    const used = read.slice(0, widths.findLastIndex((one) => one > 0) + 1);
    return {
      records: used.map(({ record, info }) => ({ cells: record.slice(0, width), line: info.lines })),
      issue: null,
    };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The library's message quotes the input.
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    const message = 'is not valid CSV: close each quote, and double quotes within quotes';
    return { records: [], issue: { row: null, line, field: null, message } };
  }
}

function detectDelimiter(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  if (first.includes(',')) return ',';
  return first.includes(';') ? ';' : first.includes('\t') ? '\t' : ',';
}

function parseHeader({ cells, line }: Record): { readonly targets: readonly Target[]; readonly issues: ImportIssue[] } {
  const issues: ImportIssue[] = [];
  const targets = cells.map((name, index): Target => {
    if (cells.indexOf(name) !== index) issues.push({ row: null, line, field: null, message: 'has a duplicate column' });
    if (isImportField(name)) return { field: name };
    const value = getValueName(name);
    if (value !== undefined) return { value };
    issues.push({ row: null, line, ...fieldNameIssue(name) });
    return null;
  });
  return { targets, issues };
}

function toRow(row: number, line: number, cells: readonly string[], targets: readonly Target[]): ImportRow {
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
