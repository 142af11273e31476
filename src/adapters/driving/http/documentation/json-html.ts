import type { JsonValue } from '../../../../domain/model/json.ts';
import { type Html, html } from './html.ts';

/** JSON as `JSON.stringify(value, null, 2)` writes it, with its parts marked for colours. */
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
