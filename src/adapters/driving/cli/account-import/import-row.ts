import type { FixedValues } from '../../../../domain/model/fixed-values.ts';

/** One account of an import file, as it is written there. */
export interface ImportRow {
  /** Its number among the accounts of the file, from 1. */
  readonly row: number;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  /** Texts by field; what is empty is absent. */
  readonly fields: ReadonlyMap<ImportField, string>;
  readonly values: FixedValues | undefined;
}

/** Fields of an account, but for its values. */
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
] as const;

/** See {@link IMPORT_FIELDS}. */
export type ImportField = (typeof IMPORT_FIELDS)[number];

/** One thing that is wrong with an import file. No value of the file is in it, for a key may stand in the wrong place. */
export interface ImportFault {
  /** Null where it is about no account. */
  readonly row: number | null;
  /** Null where it is about no line. */
  readonly line: number | null;
  /** Null where it is about no field. */
  readonly field: string | null;
  /** A clause about the field or the file. */
  readonly message: string;
}

/** What was read of an import file. */
export interface ReadRows {
  readonly rows: readonly ImportRow[];
  readonly faults: readonly ImportFault[];
}

/** Whether a name is one of a field. */
export function isImportField(name: string): name is ImportField {
  return IMPORT_FIELDS.some((field) => field === name);
}
