import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { type Style, styled, type TerminalStyle } from './style.ts';
import { displayWidth, truncateEnd, truncateMiddle } from './width.ts';

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
 * cut are truncated; if that is not enough, optional columns are left out, the last one first.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminal: TerminalStyle,
): string {
  const available = terminal.columns ?? Number.POSITIVE_INFINITY;
  let shown = columns.map((column, index) => {
    const cells = [column.heading, ...rows.map((row) => printable(row[index] ?? ''))];
    const natural = Math.max(...cells.map(displayWidth));
    const min = column.truncate === undefined ? natural : Math.max(MIN_WIDTH, column.heading.length);
    return { ...column, cells, natural, min: Math.min(natural, min) };
  });
  /** The widths if no column is wider than this unless it must be. */
  const widthsOf = (limit: number) => shown.map(({ natural, min }) => Math.max(min, Math.min(natural, limit)));
  const fits = (limit: number) =>
    widthsOf(limit).reduce((sum, width) => sum + width, GAP.length * (shown.length - 1)) <= available;
  while (!fits(0) && shown.some(({ optional }) => optional)) {
    shown = shown.toSpliced(
      shown.findLastIndex(({ optional }) => optional),
      1,
    );
  }
  let limit = Math.max(...widthsOf(available));
  while (limit > 0 && !fits(limit)) limit -= 1;
  const widths = widthsOf(limit);
  const lines = Array.from({ length: rows.length + 1 }, (_, line) =>
    shown
      .map(({ cells, truncate, style }, index) => {
        const [cell = '', width = 0] = [cells[line], widths[index]];
        const text = truncate === 'middle' ? truncateMiddle(cell, width) : truncateEnd(cell, width);
        const chosen = line === 0 ? 'bold' : style?.(cell);
        const padding = ' '.repeat(width - displayWidth(text));
        return `${chosen === undefined || text === '' ? text : styled(terminal, chosen, text)}${padding}`;
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
