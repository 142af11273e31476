import type { FixedValues } from '../../../../domain/model/payload.ts';

/** An account as written in an import file. */
export interface ImportRow {
  /** Its number in the file, from 1. */
  readonly row: number;
  /** Its first line, from 1. */
  readonly line: number;
  /** Texts by field, without empty ones. */
  readonly fields: ReadonlyMap<ImportField, string>;
  readonly values: FixedValues | undefined;
}

/** Fields of an account besides its values. */
export const IMPORT_FIELDS = [
  'platformId',
  'accountId',
  'algorithm',
  'alias',
  'environment',
  'status',
  'keyFile',
  'keyFormat',
  'passwordFile',
  'passphraseFile',
  'derivationPath',
] as const;

/** See {@link IMPORT_FIELDS}. */
export type ImportField = (typeof IMPORT_FIELDS)[number];

/** An issue of an import file. It quotes no value, which may be a misplaced key. */
export interface ImportIssue {
  /** Null if it is not about an account. */
  readonly row: number | null;
  /** Null if it is not about a line. */
  readonly line: number | null;
  /** Null if it is not about a field. */
  readonly field: string | null;
  /** A clause about the field or the file. */
  readonly message: string;
}

/** Rows and issues of an import file. */
export interface ReadRows {
  readonly rows: readonly ImportRow[];
  readonly issues: readonly ImportIssue[];
}

/** Whether a field has that name. */
export function isImportField(name: string): name is ImportField {
  return IMPORT_FIELDS.some((field) => field === name);
}
