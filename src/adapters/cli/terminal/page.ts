import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { type Style, styled, type TerminalStyle } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { wrapText } from './width.ts';

/** Status of an account or platform. */
export const STATUS_COLUMN: Column = {
  heading: 'STATUS',
  style: (status) => (status === 'active' ? 'green' : 'yellow'),
};

/** Text of a command for its terminal. */
export class Page implements TerminalStyle {
  readonly colour: boolean;
  readonly columns: number | null;

  constructor({ colour, columns }: TerminalStyle) {
    this.colour = colour;
    this.columns = columns;
  }

  styled(style: Style, text: string): string {
    return styled(this, style, text);
  }

  /**
   * Wraps sentences on terminals.
   * @param hanging indent of continuations; default: that of the line's list item
   */
  prose(text: string, hanging?: number): string {
    return this.columns === null ? text : wrapText(text, this.columns, hanging);
  }

  /** Lines of a label and a value, the values aligned. */
  facts(lines: readonly (readonly [label: string, value: string])[]): string {
    const width = Math.max(...lines.map(([label]) => label.length)) + 2;
    return lines.map(([label, value]) => `${label.padEnd(width)}${printable(value)}\n`).join('');
  }

  /**
   * Rows under headings.
   * @param none what is shown without rows
   * @param isWide whether no value is truncated
   */
  table(columns: readonly Column[], rows: readonly (readonly string[])[], none = '', isWide = false): string {
    if (rows.length === 0) return none;
    return renderTable(columns, rows, isWide ? { colour: this.colour, columns: null } : this);
  }
}
