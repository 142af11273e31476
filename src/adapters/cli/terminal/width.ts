import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
const ELLIPSIS = '…';
const GRAPHEMES = new Intl.Segmenter();

/** Terminal columns of a text: two for ideographs and emoji, none for combining characters. */
export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** Truncates the end with an ellipsis. */
export function truncateEnd(text: string, columns: number): string {
  return truncate(text, columns, 0);
}

/** Truncates the middle with an ellipsis: both ends identify a key. */
export function truncateMiddle(text: string, columns: number): string {
  return truncate(text, columns, Math.floor((columns - ELLIPSIS.length) / 2));
}

/**
 * Keeps whole user-perceived characters.
 * @param end columns to keep at the end
 */
function truncate(text: string, columns: number, end: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < ELLIPSIS.length) return '';
  const graphemes = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  const tail = takeStart(graphemes.toReversed(), end).toReversed();
  return [...takeStart(graphemes, columns - ELLIPSIS.length - end), ELLIPSIS, ...tail].join('');
}

function takeStart(graphemes: readonly string[], columns: number): readonly string[] {
  let left = columns;
  const end = graphemes.findIndex((grapheme) => {
    left -= displayWidth(grapheme);
    return left < 0;
  });
  return graphemes.slice(0, end);
}

/** Indent and list marker. */
const LEAD = /^ *(?:\d\. |- )?/;

/**
 * Wraps lines at blanks, indenting continuations below the text of a list item. Longer words stay
 * whole.
 * @param hanging indent of continuations, if the line does not show it
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
