import { codeBlock, codeOf } from './endpoint-section.ts';
import { type Html, html } from './html.ts';
import { jsonHtml } from './json-html.ts';
import { inline } from './prose.ts';
import { type Endpoint, nameOf, type ReadDocument, refusalNamesOf } from './read-document.ts';
import { schemaTable } from './schema-table.ts';

/** Every error, with its status, its details and one as it is sent. */
export function errorChapter(document: ReadDocument, endpoints: readonly Endpoint[]): Html {
  const inStatusOrder = Object.entries(document.components.examples).sort(
    ([, { 'x-status': one = 0 }], [, { 'x-status': other = 0 }]) => one - other,
  );
  const entries = inStatusOrder.map(([name, { summary, value, 'x-status': status = 0 }]) => {
    const details = document.components.schemas[name]?.properties?.['details'] ?? {};
    const hasDetails = Object.keys(details.properties ?? {}).length > 0;
    return html`
<details class="error" id="error-${name}">
<summary><code class="status">${status}</code> <code>${codeOf(value)}</code> <span>${inline(summary)}</span></summary>
<p class="given">${givenBy(document, endpoints, name)}</p>
${hasDetails && html`<h4>Fields of <code>error.details</code></h4>${schemaTable(document, details, 'answered')}`}
${codeBlock('Answer', jsonHtml(value))}
</details>`;
  });
  return html`
<section id="errors"><h2><a href="#errors">Errors</a></h2>
<p>Go by <code>error.code</code>, and by the status where you do not know the code. The same code may come for several reasons; <code>details</code> tells them apart.</p>
${entries}
</section>`;
}

/** Names of refusals that every endpoint for callers has. */
export function commonRefusals(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  const guarded = endpoints.filter(({ security }) => security.length > 0).map(refusalsOf);
  const [first = [], ...others] = guarded;
  return new Set(first.filter((name) => others.every((names) => names.includes(name))));
}

function refusalsOf({ responses }: Endpoint): readonly string[] {
  return Object.entries(responses).flatMap(([status, response]) => (status === '200' ? [] : refusalNamesOf(response)));
}

function givenBy({ components }: ReadDocument, endpoints: readonly Endpoint[], name: string): Html {
  const givers = endpoints.filter((endpoint) => refusalsOf(endpoint).includes(name));
  if (givers.length === endpoints.length) return html`Every path.`;
  const guarded = endpoints.filter(({ security }) => security.length > 0);
  if (givers.length === guarded.length && guarded.every((endpoint) => givers.includes(endpoint))) {
    return html`Every endpoint but those for health and documentation.`;
  }
  const ofItems = components.schemas['FailedItem']?.properties?.['error']?.anyOf ?? [];
  const links = givers.map(({ operationId, summary }) => html`<a href="#${operationId}">${summary}</a>`);
  const items = ofItems.some(({ $ref = '' }) => nameOf($ref) === name) ? [html`items of a batch`] : [];
  return html`${[...links, ...items].map((link, index) => html`${index > 0 && ', '}${link}`)}`;
}
