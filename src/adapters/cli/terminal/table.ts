import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { type Style, styled, type TerminalStyle } from './style.ts';
import { displayWidth, padToWidth, truncateEnd, truncateMiddle } from './width.ts';

/** One column of a table. */
export interface Column {
  readonly heading: string;
  /** Where to truncate; absent: never. */
  readonly truncate?: 'end' | 'middle';
  /** Left out of a table that would be too wide for the terminal with it. */
  readonly optional?: true;
  /** Style of a cell, if any. */
  readonly style?: (cell: string) => Style | undefined;
}

const GAP = '  ';
/** Narrower columns are unreadable. */
const MIN_WIDTH = 9;

/**
 * Formats rows under headings, with a final newline. On a terminal the widest columns that may be
 * cut are truncated; if that is not enough, optional columns are left out; else each row becomes a
 * block with a line for each column.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: TerminalStyle,
): string {
  const shown = rows.map((row) => row.map(printable));
  const needed = columns.map(({ optional }) => optional === undefined);
  return (
    formatLines(columns, shown, terminal) ??
    formatLines(
      columns.filter((_, index) => needed[index]),
      shown.map((row) => row.filter((_, index) => needed[index])),
      terminal,
    ) ??
    formatBlocks(columns, shown, terminal)
  );
}

/** A line for each row; null if the columns do not fit. */
function formatLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: TerminalStyle,
): string | null {
  const natural = columns.map(({ heading }, index) =>
    Math.max(displayWidth(heading), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const widths = fitWidths(columns, natural, terminal.columns);
  return widths === null ? null : lines(columns, rows, widths, terminal);
}

/** Column widths that fit; null if there are none. */
function fitWidths(
  columns: readonly Column[],
  natural: readonly number[],
  available: number | null,
): readonly number[] | null {
  if (available === null) return natural;
  const minimum = columns.map(({ heading, truncate }, index) => {
    const width = natural[index] ?? 0;
    return truncate === undefined ? width : Math.min(width, Math.max(MIN_WIDTH, heading.length));
  });
  const widths = [...natural];
  let excess = sum(natural) + GAP.length * (columns.length - 1) - available;
  while (excess > 0) {
    const widest = findWidest(widths, minimum);
    if (widest === -1) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** Index of the widest column that can shrink, the last of equals; -1: none. */
function findWidest(widths: readonly number[], minimum: readonly number[]): number {
  let widest = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (minimum[index] ?? 0) && width >= (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

function lines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  terminal: TerminalStyle,
): string {
  const line = (cells: readonly string[], getStyle: (column: Column, cell: string) => Style | undefined): string => {
    const last = cells.findLastIndex((cell) => cell !== '');
    const texts = columns.slice(0, last + 1).map((column, index) => {
      const [cell, width] = [cells[index] ?? '', widths[index] ?? 0];
      const text = column.truncate === 'middle' ? truncateMiddle(cell, width) : truncateEnd(cell, width);
      const style = getStyle(column, cell);
      const padding = index === last ? '' : padToWidth('', width - displayWidth(text));
      return (style === undefined ? text : styled(terminal, style, text)) + padding;
    });
    return `${texts.join(GAP)}\n`;
  };
  const headings = columns.map(({ heading }) => heading);
  return [line(headings, () => 'bold'), ...rows.map((row) => line(row, ({ style }, cell) => style?.(cell)))].join('');
}

function formatBlocks(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: TerminalStyle,
): string {
  const labelWidth = Math.max(...columns.map(({ heading }) => heading.length));
  const block = (row: readonly string[]): string =>
    columns
      .map(({ heading, style }, index) => {
        const cell = row[index] ?? '';
        const chosen = style?.(cell);
        const text = chosen === undefined ? cell : styled(terminal, chosen, cell);
        return `${styled(terminal, 'bold', heading.padEnd(labelWidth))}${GAP}${text}\n`;
      })
      .join('');
  return rows.map(block).join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
