/** Writes a line to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints cells of a table in columns of these widths, the first to the left and the others to the right. */
export function printRow(cells: readonly string[], widths: readonly number[]): void {
  const padded = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
  );
  print(`  ${padded.join('  ')}`.trimEnd());
}

/** `12.3 ms`. */
export function msText(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

/** `57 MB` of bytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
