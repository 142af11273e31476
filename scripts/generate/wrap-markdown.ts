import { wrapText } from '../../src/adapters/cli/terminal/width.ts';

/** Columns of prose in Markdown. */
const WIDTH = 100;

/** Begins a list item. */
const ITEM = /^ *(?:- |\d\. )/;

/** Lines that stay as they are: blank, heading, table, comment, quote, picture. */
const VERBATIM = /^ *(?:$|#|\||<!--|>|!\[)/;

/** Inline code, and a space before a word that would begin a block at the start of a line. */
const UNBROKEN = /`[^`]*`| (?=(?:[-+*]|\d+[.)]|#+|[>|]\S*)(?: |$))/g;

const NO_BREAK = '\u00a0';

/** Wraps paragraphs and list items of Markdown at 100 columns; leaves code and tables alone. */
export function wrapMarkdown(text: string): string {
  const wrapped: string[] = [];
  let paragraph: string[] = [];
  let isCode = false;
  const flush = () => {
    if (paragraph.length > 0) wrapped.push(wrapParagraph(paragraph));
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

function wrapParagraph([first = '', ...others]: readonly string[]): string {
  const line = [first.trimEnd(), ...others.map((other) => other.trim())].join(' ');
  const kept = line.replace(UNBROKEN, (part) => part.replaceAll(' ', NO_BREAK));
  return wrapText(kept, WIDTH).replaceAll(NO_BREAK, ' ');
}
