import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzCase } from './fuzz-case.ts';

/** Bytes of one write that are in the file. */
const WRITTEN = 4096;
/** Bytes that are printed of a failure: where only what was printed is at hand, they are all that is. */
const PRINTED = 512;
const ROW = 16;

/** Something that must not be, and the bytes that brought it about where that is known. */
export interface Failure {
  readonly what: string;
  readonly cases: readonly FuzzCase[];
}

/** Writes failures, with how to repeat them, to a file in the system's folder for temporary files. Returns its path. */
export function writeFailures(seed: number, failures: readonly Failure[]): string {
  const path = join(tmpdir(), `signing-service-fuzz-${seed}.txt`);
  const parts = failures.map(({ what, cases }) => `${what}\n\n${cases.map(caseText).join('\n')}`);
  writeFileSync(path, `npm run fuzz -- --seed ${seed}\n\n${parts.join('\n\n')}\n`);
  return path;
}

/** A failure in short: what it is, and its first case with the beginning of its bytes. */
export function failureText({ what, cases: [first] }: Failure): string {
  return first === undefined ? what : [what, caseLine(first), dump(Buffer.concat(first.writes), PRINTED)].join('\n');
}

function caseText(one: FuzzCase): string {
  return [caseLine(one), ...one.writes.map((bytes) => dump(bytes, WRITTEN))].join('\n');
}

function caseLine({ kind, way, ending, pauseMs, writes }: FuzzCase): string {
  return `${kind}; ${way}; ${ending}; writes: ${writes.length}, ${pauseMs} ms between two`;
}

/** Offset, hex and printable ASCII, 16 bytes a line. */
function dump(bytes: Buffer, most: number): string {
  const shown = bytes.subarray(0, most);
  const rows = Array.from({ length: Math.ceil(shown.length / ROW) }, (_, row) => {
    const part = shown.subarray(row * ROW, (row + 1) * ROW);
    const hex = (part.toString('hex').match(/../g) ?? []).join(' ').padEnd(ROW * 3);
    const printable = part.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    return `  ${(row * ROW).toString(16).padStart(8, '0')}  ${hex} ${printable}`;
  });
  if (bytes.length > most) rows.push(`  and ${bytes.length - most} bytes more`);
  return [`${bytes.length} bytes:`, ...rows].join('\n');
}
