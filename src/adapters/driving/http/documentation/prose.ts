import { type Html, html } from './html.ts';

/** A text of the document: what stands between backticks is code. */
export function inline(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`${parts}`;
}

/** The same in paragraphs, which an empty line separates. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((part) => html`<p>${inline(part)}</p>`)}`;
}
