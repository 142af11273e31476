import { styleText } from 'node:util';

/** Capabilities of an output. */
export interface TerminalStyle {
  readonly colour: boolean;
  /** Maximum line width; null unless it is a terminal. */
  readonly columns: number | null;
}

/** A colour or weight of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0];

/** For files, pipes and tests. */
export const PLAIN_STYLE: TerminalStyle = { colour: false, columns: null };

/** Styles a text where colours are enabled. No information is conveyed by colour alone. */
export function styled({ colour }: Pick<TerminalStyle, 'colour'>, style: Style, text: string): string {
  // Node's own check of standard output differs between releases.
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
