import { dirname, resolve } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { IDENTIFIER_PATTERN, toAccountName } from '../../../domain/model/account.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { findDuplicateKeys } from '../../../domain/model/text/lossless-json.ts';
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
  /** Line of the account, from 1; null if it is not about one. */
  readonly line: number | null;
  /** `platformId/accountId`; null unless both are valid: a misplaced key must not be shown. */
  readonly name: string | null;
}

/** An issue of an import file. */
export type ImportIssue = Position & FieldIssue;

/** An account of an import file. */
export type ImportedAccount = AccountSpec & Position;

/** Content of an import file. */
export interface ImportFile {
  /** Accounts without issues. */
  readonly accounts: readonly ImportedAccount[];
  readonly issues: readonly ImportIssue[];
}

/** Accounts as they are written, and issues of the file itself. */
interface ReadRows {
  readonly rows: readonly { readonly row: number; readonly line: number; readonly content: unknown }[];
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
  const accounts: ImportedAccount[] = [];
  const all = [...issues];
  for (const { row, line, content } of rows) {
    const position = { row, line, name: findName(content) };
    const parsed = parseFields(content);
    if ('platformId' in parsed) accounts.push({ ...toSpec(parsed, folder), ...position });
    else all.push(...parsed.map((issue) => ({ ...position, ...issue })));
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

function toSpec({ keyFile, passwordFile, passphraseFile, ...fields }: ImportedFields, folder: string): AccountSpec {
  const [key, password, passphrase] = [keyFile, passwordFile, passphraseFile].map((path) =>
    path === undefined ? undefined : resolve(folder, path),
  );
  return { ...fields, keyFile: key, passwordFile: password, passphraseFile: passphrase };
}

function fileIssue(message: string, line: number | null = null, row: number | null = null): ImportIssue {
  return { row, line, name: null, field: null, message };
}

/** Reads an array of accounts, or an object with one as `accounts`. `null` counts as absent. */
function readJson(text: string): ReadRows {
  const errors: ParseError[] = [];
  const root = parseJson(text, errors);
  if (root === null) return { rows: [], issues: [fileIssue('is nested too deeply')] };
  const [error] = errors;
  if (error !== undefined) {
    return { rows: [], issues: [fileIssue('is not valid JSON', countBreaks(text, 0, error.offset) + 1)] };
  }
  const list = root?.type === 'object' ? findNodeAtLocation(root, ['accounts']) : root;
  if (list?.type !== 'array') return { rows: [], issues: [fileIssue(SHAPE)] };
  const issues: ImportIssue[] = [];
  let [line, offset] = [1, 0];
  const rows = (list.children ?? []).map((node, index) => {
    line += countBreaks(text, offset, node.offset);
    offset = node.offset;
    const own = text.slice(offset, offset + node.length);
    if (findDuplicateKeys(own, 1)?.length !== 0) issues.push(fileIssue('has a duplicate field', line, index + 1));
    const value = JSON.parse(own);
    const present = () => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
    return { row: index + 1, line, content: node.type === 'object' ? present() : value };
  });
  return { rows, issues };
}

const SHAPE = 'must be a JSON array of accounts, or an object with one as "accounts"';

function countBreaks(text: string, start: number, end: number): number {
  return text.slice(start, end).split('\n').length - 1;
}

/** Null if it is nested too deeply. */
function parseJson(text: string, errors: ParseError[]): Node | undefined | null {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Cells of a record; a quoted cell may span lines. */
interface CsvRecord {
  readonly record: readonly string[];
  /** `lines`: its last line, from 1. */
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV (RFC 4180) with a header line. The delimiter is a comma, or else a semicolon or tab if
 * the header has one. Rows and last columns without content are left out.
 */
function readCsv(text: string): ReadRows {
  const records = parseCsv(text);
  if ('message' in records) return { rows: [], issues: [records] };
  const [header, ...rest] = records;
  if (header === undefined) return { rows: [], issues: [fileIssue('has no header line')] };
  const names = header.record.slice(0, countUsed(header.record));
  const issues = names.flatMap((name, index) => [
    ...(names.indexOf(name) === index ? [] : [fileIssue('has a duplicate column', header.info.lines)]),
    ...(isColumn(name) ? [] : [{ ...fileIssue('', header.info.lines), ...findNameIssue(name) }]),
  ]);
  if (issues.length > 0) return { rows: [], issues };
  const rows = rest.flatMap(({ record, info: { lines: line } }, index) => {
    const row = index + 1;
    if (record.length >= names.length && countUsed(record) <= names.length) {
      return [{ row, line, content: toContent(record, names) }];
    }
    const message = `has ${formatCount(record.length, 'cell')}, but the header has ${names.length}`;
    issues.push(fileIssue(message, line, row));
    return [];
  });
  return { rows, issues };
}

function parseCsv(text: string): readonly CsvRecord[] | ImportIssue {
  const [first = ''] = text.split(/\r?\n/, 1);
  const delimiter = [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
  try {
    return parse(text, {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The library's message quotes the input.
    const line = typeof error['lines'] === 'number' ? error['lines'] : null;
    return fileIssue('is not valid CSV: close each quote, and double quotes within quotes', line);
  }
}

function countUsed(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell !== '') + 1;
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
