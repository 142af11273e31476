import { Console } from 'node:console';

const output = new Console(process.stdout);

/** Prints a line. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a table with a row for each name. */
export function printTable(rows: { readonly [name: string]: object }): void {
  output.table(rows);
}

/** `12.3 ms`. */
export function formatMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
