/** Prints a line. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a table row; the first column is left-aligned, the others right-aligned. */
export function printRow(cells: readonly string[], widths: readonly number[]): void {
  const padded = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
  );
  print(`  ${padded.join('  ')}`.trimEnd());
}

/** `12.3 ms`. */
export function formatMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

/** `57 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
