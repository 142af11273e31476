import { dirname, resolve } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { IDENTIFIER_PATTERN, toAccountName } from '../../../domain/model/account.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { formatCount } from '../../../domain/model/text/wording.ts';
import type { AccountSpec } from '../../../domain/services/account-administration-service.ts';
import { readInput } from '../read-input.ts';
import {
  type FieldIssue,
  findNameIssue,
  type ImportedFields,
  isColumn,
  parseFields,
  resemblesKey,
} from './import-fields.ts';

/** Where an account or an issue is in an import file. */
interface Position {
  /** Number of the account, from 1; null if it is not about one. */
  readonly row: number | null;
  /** From 1; null if it is not about one. */
  readonly line: number | null;
  /** `platformId/accountId`; null unless both are valid: a misplaced key must not be shown. */
  readonly name: string | null;
}

/** An issue of an import file. */
export type ImportIssue = Position & FieldIssue;

/** Content of an import file. */
export interface ImportFile {
  /** Accounts without issues. */
  readonly accounts: readonly (Position & { readonly row: number; readonly spec: AccountSpec })[];
  readonly issues: readonly ImportIssue[];
}

/** An account as written. */
interface Row {
  readonly row: number;
  readonly line: number;
  readonly content: unknown;
  /** Line of a member, by the names that lead to it. */
  lineOf(path: readonly string[]): number;
}

/** The accounts and issues of a text. */
interface ReadRows {
  readonly rows: readonly Row[];
  readonly issues: readonly ImportIssue[];
}

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads an import file: JSON if it begins with a bracket or brace, else CSV. Relative paths start
 * at its folder.
 * @throws OperatorError if it cannot be read
 */
export function readImportFile(file: string): ImportFile {
  const text = readText(file);
  const { rows, issues } = /^\s*[[{]/.test(text.slice(0, 1000)) ? readJson(text) : readCsv(text);
  const folder = dirname(resolve(file));
  const accounts: ImportFile['accounts'][number][] = [];
  const all = [...issues];
  for (const { row, line, content, lineOf } of rows) {
    const position = { row, line, name: findName(content) };
    const parsed = parseFields(content);
    if ('fields' in parsed) accounts.push({ ...position, spec: toSpec(parsed.fields, folder) });
    else for (const { path, ...issue } of parsed.issues) all.push({ ...position, line: lineOf(path), ...issue });
  }
  return { accounts, issues: all };
}

function readText(file: string): string {
  const bytes = readInput(file, MAX_BYTES + 1);
  if (bytes.length > MAX_BYTES) throw new OperatorError(`${file} exceeds 64 MiB. Split it.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorError(`${file} is not valid UTF-8. Save it as UTF-8.`);
  }
}

function findName(content: unknown): string | null {
  const { platformId, accountId } = (content ?? {}) as { readonly [field: string]: unknown };
  const isId = (id: unknown): id is string =>
    typeof id === 'string' && IDENTIFIER_PATTERN.test(id) && !resemblesKey(id);
  return isId(platformId) && isId(accountId) ? toAccountName({ platformId, accountId }) : null;
}

function toSpec(fields: ImportedFields, folder: string): AccountSpec {
  const { keyFile, keyFormat, passwordFile, passphraseFile, derivationPath, ...account } = fields;
  if (keyFile === undefined) return { ...account, origin: { kind: 'generate' } };
  const inFolder = (path: string | undefined) => (path === undefined ? undefined : resolve(folder, path));
  const origin = {
    kind: 'file',
    file: resolve(folder, keyFile),
    format: keyFormat,
    passwordFile: inFolder(passwordFile),
    passphraseFile: inFolder(passphraseFile),
    derivationPath,
  } as const;
  return { ...account, origin };
}

const fileIssue = (message: string, line: number | null = null, field: string | null = null): ImportIssue => ({
  ...{ row: null, line, name: null, field, message },
});

/** Reads an array of accounts, or an object with one as `accounts`. `null` counts as absent. */
function readJson(text: string): ReadRows {
  const countBreaks = (start: number, end: number) => text.slice(start, end).split('\n').length - 1;
  const errors: ParseError[] = [];
  const root = parseJson(text, errors);
  if (root === null) return { rows: [], issues: [fileIssue('is nested too deeply')] };
  const [error] = errors;
  if (error !== undefined) {
    return { rows: [], issues: [fileIssue('is not valid JSON', countBreaks(0, error.offset) + 1)] };
  }
  const list = root?.type === 'object' ? findNodeAtLocation(root, ['accounts']) : root;
  if (list?.type !== 'array') return { rows: [], issues: [fileIssue(SHAPE)] };
  const issues: ImportIssue[] = [];
  let [line, offset] = [1, 0];
  const rows = (list.children ?? []).map((node, index): Row => {
    line += countBreaks(offset, node.offset);
    offset = node.offset;
    const [row, first] = [index + 1, line];
    const lineAt = (place: Node = node) => first + countBreaks(node.offset, place.offset);
    for (const member of findDuplicates(node)) {
      issues.push({ ...fileIssue('has a duplicate field', lineAt(member)), row });
    }
    const value = getNodeValue(node);
    const content =
      node.type === 'object' ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) : value;
    return { row, line, content, lineOf: (path) => lineAt(findNodeAtLocation(node, [...path])) };
  });
  return { rows, issues };
}

const SHAPE = 'must be a JSON array of accounts, or an object with one as "accounts"';

/** Null if it is nested too deeply. */
function parseJson(text: string, errors: ParseError[]): Node | undefined | null {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Members, at any depth, that repeat the name of an earlier one. */
function findDuplicates({ type, children = [] }: Node): readonly Node[] {
  if (type !== 'object') return [];
  const seen = new Set<unknown>();
  return children.flatMap((member) => {
    const [name, value] = member.children ?? [];
    const isRepeated = seen.size === seen.add(name?.value).size;
    return [...(isRepeated ? [member] : []), ...(value === undefined ? [] : findDuplicates(value))];
  });
}

/** Cells of a record; a quoted cell may span lines. */
interface CsvRecord {
  readonly record: readonly string[];
  /** `lines`: its last line, from 1. */
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV (RFC 4180) with a header line. The delimiter is a comma, or else a semicolon or tab if
 * the header has one.
 */
function readCsv(text: string): ReadRows {
  const records = parseCsv(text);
  if ('message' in records) return { rows: [], issues: [records] };
  const [header, ...rest] = records;
  if (header === undefined) return { rows: [], issues: [fileIssue('has no header line')] };
  const { record: names, info } = header;
  const issues = names.flatMap((name, index) => [
    ...(names.indexOf(name) === index ? [] : [fileIssue('has a duplicate column', info.lines)]),
    ...(isColumn(name) ? [] : [{ ...fileIssue('', info.lines), ...findNameIssue(name) }]),
  ]);
  if (issues.length > 0) return { rows: [], issues };
  const rows: Row[] = [];
  for (const [index, { record, info }] of rest.entries()) {
    const [row, line] = [index + 1, info.lines];
    if (record.length === names.length) rows.push({ row, line, content: toContent(record, names), lineOf: () => line });
    else {
      const message = `has ${formatCount(record.length, 'cell')}, but the header has ${names.length}`;
      issues.push({ ...fileIssue(message, line), row });
    }
  }
  return { rows, issues };
}

/** Records without the rows and columns of delimiters alone that spreadsheets append. */
function parseCsv(text: string): readonly CsvRecord[] | ImportIssue {
  try {
    const read = parse(text, {
      bom: true,
      delimiter: findDelimiter(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as readonly CsvRecord[];
    const widths = read.map(({ record }) => record.findLastIndex((cell) => cell !== '') + 1);
    const width = widths.reduce((widest, one) => Math.max(widest, one), 0);
    const used = read.slice(0, widths.findLastIndex((one) => one > 0) + 1);
    return used.map(({ record, info }) => ({ record: record.slice(0, width), info }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The library's message quotes the input.
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    return fileIssue('is not valid CSV: close each quote, and double quotes within quotes', line);
  }
}

function findDelimiter(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  return [',', ';', '\t'].find((delimiter) => first.includes(delimiter)) ?? ',';
}

/** Cells by the names of their columns; empty ones are absent. */
function toContent(cells: readonly string[], names: readonly string[]): object {
  const given = names.map((name, index) => [name, cells[index] ?? ''] as const).filter(([, cell]) => cell !== '');
  const isValue = ([name]: readonly [string, string]) => name.startsWith('values.');
  const values = given.filter(isValue).map(([name, cell]) => [name.slice('values.'.length), cell]);
  return {
    ...Object.fromEntries(given.filter((cell) => !isValue(cell))),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
  };
}
