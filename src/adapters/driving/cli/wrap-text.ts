import { displayWidth } from './display-width.ts';

/** Blanks, and what numbers or marks an item of a list. */
const LEAD = /^ *(?:\d\. |- )?/;

/**
 * Breaks lines that are wider than so many columns where they have blanks; what follows stands below the beginning of the line, or of its item. A word that is
 * wider than that stays whole.
 * @param hanging blanks before what follows, where that is not told by the line itself
 */
export function wrapText(text: string, columns: number, hanging?: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns, hanging ?? LEAD.exec(line)?.[0].length ?? 0))
    .join('\n');
}

function wrapLine(line: string, columns: number, hanging: number): string {
  if (displayWidth(line) <= columns) return line;
  const lines: string[] = [];
  let current = '';
  for (const piece of line.split(/(?<=\S)(?= )/)) {
    if (current.trim() !== '' && displayWidth(current + piece) > columns) {
      lines.push(current);
      current = ' '.repeat(hanging) + piece.trimStart();
    } else current += piece;
  }
  return [...lines, current].join('\n');
}
