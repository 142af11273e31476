import type { JsonValue } from '../../../domain/model/json.ts';

/** Trusted HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Template values; false and null render as nothing. */
export type HtmlPart = Html | string | number | false | null | readonly HtmlPart[];

const ESCAPED: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template that escapes everything except {@link Html}, for text and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((text, index) => `${text}${textOf(parts[index] ?? null)}`).join(''));
}

/** Marks program text, such as a style sheet, as trusted. */
export function trusted(text: string): Html {
  return new Html(text);
}

function textOf(part: HtmlPart): string {
  if (part === false || part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');
}

/** Indented JSON, as `JSON.stringify(value, null, 2)`, with syntax highlighting. */
export function jsonHtml(value: JsonValue, indent = ''): Html {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return enclosed(
      ['[', ']'],
      value.map((item) => jsonHtml(item, inner)),
      indent,
    );
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => html`<span class="k">${JSON.stringify(name)}</span>: ${jsonHtml(member, inner)}`,
    );
    return enclosed(['{', '}'], members, indent);
  }
  return html`<span class="${typeof value === 'string' ? 's' : 'n'}">${JSON.stringify(value)}</span>`;
}

function enclosed([open, close]: readonly [string, string], parts: readonly Html[], indent: string): Html {
  if (parts.length === 0) return html`${open}${close}`;
  const lines = parts.map((part, index) => html`${index === 0 ? '' : ','}\n${indent}  ${part}`);
  return html`${open}${lines}\n${indent}${close}`;
}

/** Renders text with code in backticks. */
export function inline(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}

/** Renders paragraphs separated by blank lines. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((part) => html`<p>${inline(part)}</p>`)}`;
}
