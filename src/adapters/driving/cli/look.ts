import { styleText } from 'node:util';

/** How text may look where it goes to. */
export interface Look {
  /** Whether colours are shown there. */
  readonly colour: boolean;
  /** Width that lines should not exceed; null where no terminal is, and lines are as long as they are. */
  readonly columns: number | null;
}

/** A colour or weight, by Node's name for it. */
export type Style = Parameters<typeof styleText>[0];

/** A file, a pipe, a test: neither colours nor a width. */
export const PLAIN_LOOK: Look = { colour: false, columns: null };

/** The text in this style where colours are shown, else as it is. No colour says anything that the text does not. */
export function styled({ colour }: Pick<Look, 'colour'>, style: Style, text: string): string {
  // Not by Node's own idea of whether standard output wants colour, which not every release has.
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
