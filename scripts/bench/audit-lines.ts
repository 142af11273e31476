import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Of the audit file, from its beginning and from its end, that is looked at. */
const LOOKED_AT_BYTES = 2 ** 20;
const NEWLINE = '\n';

/** Bytes of a line of an audit file, the mean over the first ones. */
export function meanLineBytes(path: string): number {
  const lines = part(path, 'beginning').split(NEWLINE).slice(0, -1);
  return Math.round(lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) / lines.length);
}

/**
 * Looks whether as many records were made as signatures were given out, so that no service is measured that forgot to.
 * @param path of the current audit file; numbers of records go on when it is rotated
 * @throws Error when there are fewer
 */
export function expectRecorded(path: string, signatures: number): void {
  const recorded = lastSeq(path);
  if (recorded < signatures) throw new Error(`${signatures} signatures were given out, and ${recorded} are on record.`);
}

/** The other way round, for a service without an audit record. @throws Error when it made one */
export function expectUnrecorded(path: string): void {
  if (existsSync(path)) throw new Error('The service without an audit record has one.');
}

function lastSeq(path: string): number {
  const last = part(path, 'end').split(NEWLINE).at(-2);
  return last === undefined ? 0 : JSON.parse(last).seq;
}

function part(path: string, which: 'beginning' | 'end'): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LOOKED_AT_BYTES);
    const from = which === 'end' ? Math.max(0, fstatSync(file).size - bytes.length) : 0;
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}
