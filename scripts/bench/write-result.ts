import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartOf } from './bench-chart.ts';
import type { BenchResult } from './bench-result.ts';

/** Digits that are worth keeping of what was measured. */
const DIGITS = 5;

/** Writes latest.json and latest.svg into a folder. */
export function writeResult(result: BenchResult, folder: string): void {
  writeFileSync(join(folder, 'latest.json'), jsonOf(result));
  writeFileSync(join(folder, 'latest.svg'), chartOf(result));
}

/** The text of latest.json; numbers that are no whole ones to five digits. */
export function jsonOf(result: BenchResult): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}
