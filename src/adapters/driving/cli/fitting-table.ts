import { cutEnd, cutMiddle, displayWidth, padToWidth } from './display-width.ts';
import { type Look, type Style, styled } from './look.ts';
import { printable } from './printable-text.ts';

/** One column of a table. */
export interface Column {
  readonly heading: string;
  /** Where a text is cut that does not fit; absent: it is shown whole. */
  readonly cut?: 'end' | 'middle';
  /** The style of a cell; undefined: none. */
  readonly style?: (cell: string) => Style | undefined;
}

const GAP = '  ';
/** Narrower columns tell too little. */
const LEAST_WIDTH = 9;

/**
 * Rows under headings, each line at most as wide as the terminal: the widest columns that may be cut give way. Where even that is too wide, each row is a
 * block of lines, one for each column, with nothing cut. Without a terminal everything is whole, in columns. It ends with a newline.
 */
export function fittingTable(columns: readonly Column[], rows: readonly (readonly string[])[], look: Look): string {
  const shown = rows.map((row) => row.map(printable));
  const natural = columns.map(({ heading }, index) =>
    Math.max(displayWidth(heading), ...shown.map((row) => displayWidth(row[index] ?? ''))),
  );
  const widths = fittingWidths(columns, natural, look.columns);
  return widths === null ? blocks(columns, shown, look) : lines(columns, shown, widths, look);
}

/** Widths with which a line fits; null when there are none. */
function fittingWidths(
  columns: readonly Column[],
  natural: readonly number[],
  available: number | null,
): readonly number[] | null {
  if (available === null) return natural;
  const least = columns.map(({ heading, cut }, index) => {
    const width = natural[index] ?? 0;
    return cut === undefined ? width : Math.min(width, Math.max(LEAST_WIDTH, heading.length));
  });
  const widths = [...natural];
  let excess = sum(natural) + GAP.length * (columns.length - 1) - available;
  while (excess > 0) {
    const widest = widestOf(widths, least);
    if (widest === -1) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** Index of the widest column that can still give way, the last of several; -1 when none can. */
function widestOf(widths: readonly number[], least: readonly number[]): number {
  let widest = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (least[index] ?? 0) && width >= (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

function lines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  look: Look,
): string {
  const line = (cells: readonly string[], styleOf: (column: Column, cell: string) => Style | undefined): string => {
    const last = cells.findLastIndex((cell) => cell !== '');
    const texts = columns.slice(0, last + 1).map((column, index) => {
      const [cell, width] = [cells[index] ?? '', widths[index] ?? 0];
      const text = column.cut === 'middle' ? cutMiddle(cell, width) : cutEnd(cell, width);
      const style = styleOf(column, cell);
      const padding = index === last ? '' : padToWidth('', width - displayWidth(text));
      return (style === undefined ? text : styled(look, style, text)) + padding;
    });
    return `${texts.join(GAP)}\n`;
  };
  const headings = columns.map(({ heading }) => heading);
  return [line(headings, () => 'bold'), ...rows.map((row) => line(row, ({ style }, cell) => style?.(cell)))].join('');
}

function blocks(columns: readonly Column[], rows: readonly (readonly string[])[], look: Look): string {
  const labelWidth = Math.max(...columns.map(({ heading }) => heading.length));
  const block = (row: readonly string[]): string =>
    columns
      .map(({ heading, style }, index) => {
        const cell = row[index] ?? '';
        const chosen = style?.(cell);
        const text = chosen === undefined ? cell : styled(look, chosen, cell);
        return `${styled(look, 'bold', heading.padEnd(labelWidth))}${GAP}${text}\n`;
      })
      .join('');
  return rows.map(block).join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
