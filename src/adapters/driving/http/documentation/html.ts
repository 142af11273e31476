/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template; texts are escaped, what is false or null is left out. */
export type HtmlPart = Html | string | number | false | null | readonly HtmlPart[];

const ESCAPED: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML of a template: everything that is put into it and is not HTML itself is escaped, for texts and for attributes in quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((text, index) => `${text}${textOf(parts[index] ?? null)}`).join(''));
}

/** A style sheet, or another text of this program that is not to be escaped. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(part: HtmlPart): string {
  if (part === false || part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}
