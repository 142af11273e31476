/** Columns of prose in Markdown, as in `.markdownlint-cli2.jsonc`. */
const WIDTH = 100;

/** A word; inline code is not broken. */
const WORD = /(?:`[^`]*`|\S)+/g;

/** Begins a list item. */
const ITEM = /^ *(?:[-*]|\d+\.) /;

/** Lines that stay as they are: blank, heading, table, comment, quote, picture. */
const VERBATIM = /^ *(?:$|#|\||<!--|>|!\[)/;

/** A word that would begin a block at the start of a line. */
const BEGINS_BLOCK = /^(?:[-+*]|\d+[.)]|#+|>.*|\|.*)$/;

/** Wraps paragraphs and list items of Markdown at 100 columns; leaves code and tables alone. */
export function wrapMarkdown(text: string): string {
  const wrapped: string[] = [];
  let paragraph: string[] = [];
  let isCode = false;
  const flush = () => {
    if (paragraph.length > 0) wrapped.push(...wrapParagraph(paragraph));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const isFence = /^ *```/.test(line);
    if (isFence || isCode || VERBATIM.test(line)) {
      flush();
      wrapped.push(line);
      if (isFence) isCode = !isCode;
    } else {
      if (ITEM.test(line)) flush();
      paragraph.push(line);
    }
  }
  flush();
  return wrapped.join('\n');
}

function wrapParagraph([first = '', ...others]: readonly string[]): readonly string[] {
  const [marker = ''] = ITEM.exec(first) ?? /^ */.exec(first) ?? [];
  const indent = ' '.repeat(marker.length);
  const words = [first.slice(marker.length), ...others].join('\n').match(WORD) ?? [];
  const lines: string[] = [];
  let line = marker;
  for (const word of words) {
    const isEmpty = line === marker || line === indent;
    if (!isEmpty && line.length + 1 + word.length > WIDTH && !BEGINS_BLOCK.test(word)) {
      lines.push(line);
      line = indent;
    }
    line += line === marker || line === indent ? word : ` ${word}`;
  }
  return [...lines, line];
}
