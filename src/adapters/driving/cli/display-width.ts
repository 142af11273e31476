import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
const ELLIPSIS = '…';
const GRAPHEMES = new Intl.Segmenter();

/** Columns that a terminal needs for the text: two for ideographs and emoji, none for what is written over the character before. */
export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** The text, or as much of its beginning as fits with an ellipsis behind it. */
export function cutEnd(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  return columns < ELLIPSIS.length ? '' : `${fittingStart(graphemesOf(text), columns - ELLIPSIS.length)}${ELLIPSIS}`;
}

/** The text, or as much of its beginning and its end as fits with an ellipsis between: both ends of a key tell it from others. */
export function cutMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < ELLIPSIS.length) return '';
  const graphemes = graphemesOf(text);
  const room = columns - ELLIPSIS.length;
  const start = fittingStart(graphemes, Math.ceil(room / 2));
  const end = fittingStart(graphemes.toReversed(), Math.floor(room / 2), (kept, next) => next + kept);
  return `${start}${ELLIPSIS}${end}`;
}

/** The text, followed by as many blanks as make it that wide. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** What people take for one character each, so that none is cut in two. */
function graphemesOf(text: string): readonly string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

function fittingStart(
  graphemes: readonly string[],
  columns: number,
  join: (kept: string, next: string) => string = (kept, next) => kept + next,
): string {
  let kept = '';
  let left = columns;
  for (const grapheme of graphemes) {
    left -= displayWidth(grapheme);
    if (left < 0) return kept;
    kept = join(kept, grapheme);
  }
  return kept;
}
