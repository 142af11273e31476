import { dirname, resolve } from 'node:path';
import { ACCOUNT_STATUSES, IDENTIFIER_PATTERN, toAccountName } from '../../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../../domain/model/algorithm.ts';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { KEY_FILE_FORMATS } from '../../../../domain/model/key-source.ts';
import type { AccountSpec } from '../../../../domain/services/account-administration-service.ts';
import type { KeyOrigin } from '../../../../ports/credential-editor.ts';
import { readInput } from '../../read-input.ts';
import type { ImportField, ImportIssue, ImportRow, ReadRows } from './import-row.ts';
import { KEY_IN_FILE, resemblesKey } from './row-issues.ts';

/** Free-text fields, which may hold a key by mistake. */
const FREE_FIELDS: readonly ImportField[] = [
  'platformId',
  'accountId',
  'alias',
  'environment',
  'keyFile',
  'passwordFile',
  'passphraseFile',
  'derivationPath',
];

/** Account and issues of a row. */
export interface RowSpec {
  /** Null if the row has issues. */
  readonly spec: AccountSpec | null;
  readonly issues: readonly ImportIssue[];
}

/**
 * Validates a row as far as possible without the configuration.
 * @param folder base of relative paths
 */
export function parseRow({ row, line, fields, values }: ImportRow, folder: string): RowSpec {
  const issues: ImportIssue[] = [];
  const addIssue = (field: string, message: string): void => void issues.push({ row, line, field, message });
  const parseChoice = <Choice extends string>(field: ImportField, choices: readonly Choice[]): Choice | undefined => {
    const text = fields.get(field);
    const choice = choices.find((candidate) => candidate === text);
    if (text !== undefined && choice === undefined) addIssue(field, `must be one of ${choices.join(', ')}`);
    return choice;
  };
  for (const field of FREE_FIELDS) {
    if (resemblesKey(fields.get(field) ?? '')) addIssue(field, KEY_IN_FILE);
  }
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value.includes('-----BEGIN')) addIssue(`values.${name}`, KEY_IN_FILE);
  }
  for (const field of ['platformId', 'accountId'] as const) if (!fields.has(field)) addIssue(field, 'is required');
  for (const field of ['keyFormat', 'passwordFile', 'passphraseFile', 'derivationPath'] as const) {
    if (fields.has(field) && !fields.has('keyFile')) addIssue(field, 'requires keyFile');
  }
  const algorithm = parseChoice('algorithm', ALGORITHMS);
  const status = parseChoice('status', ACCOUNT_STATUSES);
  const format = parseChoice('keyFormat', KEY_FILE_FORMATS);
  if (issues.length > 0) return { spec: null, issues };

  const [alias, environment] = [fields.get('alias'), fields.get('environment')];
  const spec = {
    platformId: fields.get('platformId') ?? '',
    accountId: fields.get('accountId') ?? '',
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(alias === undefined ? {} : { alias }),
    ...(environment === undefined ? {} : { environment }),
    ...(status === undefined ? {} : { status }),
    ...(values === undefined ? {} : { values }),
    origin: toKeyOrigin(fields, format, folder),
  };
  return { spec, issues };
}

function toKeyOrigin(
  fields: ImportRow['fields'],
  format: (typeof KEY_FILE_FORMATS)[number] | undefined,
  folder: string,
): KeyOrigin {
  const [file, passwordFile] = [fields.get('keyFile'), fields.get('passwordFile')];
  const passphraseFile = fields.get('passphraseFile');
  const derivationPath = fields.get('derivationPath');
  if (file === undefined) return { kind: 'generate' };
  return {
    kind: 'file',
    file: resolve(folder, file),
    ...(format === undefined ? {} : { format }),
    ...(passwordFile === undefined ? {} : { passwordFile: resolve(folder, passwordFile) }),
    ...(passphraseFile === undefined ? {} : { passphraseFile: resolve(folder, passphraseFile) }),
    ...(derivationPath === undefined ? {} : { derivationPath }),
  };
}

const MAX_BYTES = 64 * 1024 * 1024;

/** An account and its position in the import file. */
export interface PositionedSpec {
  readonly row: number;
  readonly line: number;
  readonly spec: AccountSpec;
}

/** Content of an import file. */
export interface ImportFile {
  /** Rows without issues. */
  readonly specs: readonly PositionedSpec[];
  readonly issues: readonly ImportIssue[];
  /** `platformId/accountId` by row, of rows that have both, to name their issues. */
  readonly names: ReadonlyMap<number, string>;
}

/**
 * Reads an import file: JSON if it begins with a bracket or brace, else CSV. Relative paths start
 * at its folder.
 * @throws OperatorError if it cannot be read
 */
export async function readImportFile(file: string): Promise<ImportFile> {
  const { rows, issues } = await parseRows(readText(file));
  const folder = dirname(resolve(file));
  const parsed = rows.map((row) => ({ row: row.row, line: row.line, ...parseRow(row, folder) }));
  const specs = parsed.flatMap(({ row, line, spec }) => (spec === null ? [] : [{ row, line, spec }]));
  const names = new Map(
    rows.flatMap((row): readonly (readonly [number, string])[] => {
      const name = findName(row);
      return name === null ? [] : [[row.row, name]];
    }),
  );
  return { specs, issues: [...issues, ...parsed.flatMap((one) => one.issues)], names };
}

/** Null unless both ids are valid; a misplaced key must not be shown. */
function findName({ fields }: ImportRow): string | null {
  const [platformId, accountId] = [fields.get('platformId') ?? '', fields.get('accountId') ?? ''];
  const isShown = [platformId, accountId].every((id) => IDENTIFIER_PATTERN.test(id) && !resemblesKey(id));
  return isShown ? toAccountName({ platformId, accountId }) : null;
}

/** Loads each parser only when needed. */
async function parseRows(text: string): Promise<ReadRows> {
  if (!/^\s*[[{]/.test(text.slice(0, 1000))) return (await import('./csv-rows.ts')).csvRows(text);
  try {
    return (await import('./json-rows.ts')).jsonRows(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { rows: [], issues: [{ row: null, line: null, field: null, message: 'is nested too deeply' }] };
  }
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
