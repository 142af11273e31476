import { codeBlock, getErrorCode } from './endpoint-section.ts';
import { type Html, html, inline, jsonHtml } from './html.ts';
import { type Endpoint, getComponentName, getRefusalNames, type ReadDocument } from './read-document.ts';
import { schemaTable } from './schema-table.ts';

/** All errors with status, details and an example. */
export function errorChapter(document: ReadDocument, endpoints: readonly Endpoint[]): Html {
  const inStatusOrder = Object.entries(document.components.examples).sort(
    ([, { 'x-status': one = 0 }], [, { 'x-status': other = 0 }]) => one - other,
  );
  const entries = inStatusOrder.map(([name, { summary, value, 'x-status': status = 0 }]) => {
    const details = document.components.schemas[name]?.properties?.['details'] ?? {};
    const hasDetails = Object.keys(details.properties ?? {}).length > 0;
    return html`
<details class="error" id="error-${name}">
<summary><code class="status">${status}</code> <code>${getErrorCode(value)}</code> <span>${inline(summary)}</span></summary>
<p class="given">${renderEndpoints(document, endpoints, name)}</p>
${hasDetails && html`<h4>Fields of <code>error.details</code></h4>${schemaTable(document, details, 'response')}`}
${codeBlock('Response', jsonHtml(value))}
</details>`;
  });
  return html`
<section id="errors"><h2><a href="#errors">Errors</a></h2>
<p>Handle errors by <code>error.code</code>, and unknown codes by the HTTP status. One code can have several reasons, which <code>details</code> distinguishes.</p>
${entries}
</section>`;
}

/** Refusals that all guarded endpoints share. */
export function commonRefusals(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  const guarded = endpoints.filter(({ security }) => security.length > 0).map(listRefusals);
  const [first = [], ...others] = guarded;
  return new Set(first.filter((name) => others.every((names) => names.includes(name))));
}

function listRefusals({ responses }: Endpoint): readonly string[] {
  return Object.entries(responses).flatMap(([status, response]) => (status === '200' ? [] : getRefusalNames(response)));
}

function renderEndpoints({ components }: ReadDocument, endpoints: readonly Endpoint[], name: string): Html {
  const refusing = endpoints.filter((endpoint) => listRefusals(endpoint).includes(name));
  if (refusing.length === endpoints.length) return html`All paths.`;
  const guarded = endpoints.filter(({ security }) => security.length > 0);
  if (refusing.length === guarded.length && guarded.every((endpoint) => refusing.includes(endpoint))) {
    return html`All endpoints except health and documentation.`;
  }
  const ofItems = components.schemas['FailedItem']?.properties?.['error']?.anyOf ?? [];
  const links = refusing.map(({ operationId, summary }) => html`<a href="#${operationId}">${summary}</a>`);
  const items = ofItems.some(({ $ref = '' }) => getComponentName($ref) === name) ? [html`batch items`] : [];
  return html`${[...links, ...items].map((link, index) => html`${index > 0 && ', '}${link}`)}`;
}
