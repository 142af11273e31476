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
  if (displayWidth(text) <= columns) return text;
  return columns < ELLIPSIS.length ? '' : `${takeStart(splitGraphemes(text), columns - ELLIPSIS.length)}${ELLIPSIS}`;
}

/** Truncates the middle with an ellipsis: both ends identify a key. */
export function truncateMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < ELLIPSIS.length) return '';
  const graphemes = splitGraphemes(text);
  const room = columns - ELLIPSIS.length;
  const start = takeStart(graphemes, Math.ceil(room / 2));
  const end = takeStart(graphemes.toReversed(), Math.floor(room / 2), (start, next) => next + start);
  return `${start}${ELLIPSIS}${end}`;
}

/** Pads with blanks. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** User-perceived characters, which are never split. */
function splitGraphemes(text: string): readonly string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

function takeStart(
  graphemes: readonly string[],
  columns: number,
  join: (start: string, next: string) => string = (start, next) => start + next,
): string {
  let start = '';
  let left = columns;
  for (const grapheme of graphemes) {
    left -= displayWidth(grapheme);
    if (left < 0) return start;
    start = join(start, grapheme);
  }
  return start;
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
