import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzCase } from './fuzz-case.ts';

/** Bytes of one write that are shown. */
const SHOWN = 4096;
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

function caseText({ kind, way, ending, pauseMs, writes }: FuzzCase): string {
  return [`${kind}; ${way}; ${ending}; ${pauseMs} ms between writes`, ...writes.map(dump)].join('\n');
}

/** Offset, hex and printable ASCII, 16 bytes a line. */
function dump(bytes: Buffer): string {
  const shown = bytes.subarray(0, SHOWN);
  const rows = Array.from({ length: Math.ceil(shown.length / ROW) }, (_, row) => {
    const part = shown.subarray(row * ROW, (row + 1) * ROW);
    const hex = (part.toString('hex').match(/../g) ?? []).join(' ').padEnd(ROW * 3);
    const printable = part.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    return `  ${(row * ROW).toString(16).padStart(8, '0')}  ${hex} ${printable}`;
  });
  if (bytes.length > SHOWN) rows.push(`  and ${bytes.length - SHOWN} bytes more`);
  return [`write of ${bytes.length} bytes:`, ...rows].join('\n');
}
