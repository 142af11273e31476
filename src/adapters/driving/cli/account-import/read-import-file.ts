import { closeSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type { AccountWish } from '../../../../domain/services/account-administration-service.ts';
import type { ImportFault, ReadRows } from './import-row.ts';
import { wishOfRow } from './wish-of-row.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** One account that an import file asks for, and where. */
export interface PlacedWish {
  readonly row: number;
  readonly line: number;
  readonly wish: AccountWish;
}

/** What an import file asks for. */
export interface ImportFile {
  /** Accounts with which nothing is wrong as far as the file itself tells. */
  readonly wishes: readonly PlacedWish[];
  readonly faults: readonly ImportFault[];
}

/**
 * Reads an import file: JSON where it begins with a bracket, else comma-separated values. Relative paths in it begin at its folder.
 * @throws EditRefusedError when it can't be read
 */
export async function readImportFile(file: string): Promise<ImportFile> {
  const { rows, faults } = await rowsOf(readText(file));
  const folder = dirname(resolve(file));
  const found = rows.map((row) => ({ row: row.row, line: row.line, ...wishOfRow(row, folder) }));
  const wishes = found.flatMap(({ row, line, wish }) => (wish === null ? [] : [{ row, line, wish }]));
  return { wishes, faults: [...faults, ...found.flatMap((one) => one.faults)] };
}

/** Each parser is loaded where it is needed. */
async function rowsOf(text: string): Promise<ReadRows> {
  if (!/^\s*[[{]/.test(text.slice(0, 1000))) return (await import('./csv-rows.ts')).csvRows(text);
  try {
    return (await import('./json-rows.ts')).jsonRows(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { rows: [], faults: [{ row: null, line: null, field: null, message: 'is nested too deeply' }] };
  }
}

function readText(file: string): string {
  const bytes = readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EditRefusedError(`${file} is not UTF-8 text; save it as UTF-8.`);
  }
}

function readBytes(file: string): Buffer {
  try {
    const descriptor = openSync(file, 'r');
    try {
      return readWhole(descriptor, file);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof EditRefusedError) throw error;
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new EditRefusedError(`${file} can not be read${code}. Check the path.`, { cause: error });
  }
}

/** By what comes, not by the size that is told: a pipe has none, and a device may have no end. */
function readWhole(descriptor: number, file: string): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = readSync(descriptor, chunk);
    if (length === 0) return Buffer.concat(chunks, total);
    total += length;
    if (total > MAX_BYTES) throw new EditRefusedError(`${file} has more than 64 MiB; split it.`);
    chunks.push(chunk.subarray(0, length));
  }
}
