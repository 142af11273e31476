import { curlCommand } from './curl.ts';
import { type Html, type HtmlPart, html } from './html.ts';
import { jsonHtml } from './json-html.ts';
import { inline, paragraphs } from './prose.ts';
import {
  type Endpoint,
  parametersOf,
  type ReadDocument,
  refusalNamesOf,
  type Schema,
  type ShownExample,
} from './read-document.ts';
import { fieldTable, schemaTable, typeText } from './schema-table.ts';

/** Method and path, as they stand everywhere on the page. */
export function callHtml({ method, path }: Pick<Endpoint, 'method' | 'path'>): Html {
  return html`<span class="verb ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code>`;
}

/** An endpoint: what it does, takes and answers, what it says no with, and examples beside it. */
export function endpointSection(document: ReadDocument, endpoint: Endpoint, common: ReadonlySet<string>): Html {
  const { operationId, summary, description, responses } = endpoint;
  const json = responses['200']?.content['application/json'];
  const data = json?.schema.properties?.['data'];
  return html`
<section class="endpoint" id="${operationId}">
<div class="text">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="call">${callHtml(endpoint)}</p>
${paragraphs(description)}
${parameterTable(document, endpoint)}
${bodyTable(document, endpoint)}
${data !== undefined && html`<h4>Answer <span class="note"><code>200</code>, fields of <code>data</code></span></h4>${schemaTable(document, data, 'answered')}`}
${refusals(document, endpoint, common)}
</div>
<div class="shown">${examples(document, endpoint)}</div>
</section>`;
}

/** Of each endpoint but for the headers that every request may have: those have a chapter of their own. */
function parameterTable(document: ReadDocument, endpoint: Endpoint): HtmlPart {
  const own = parametersOf(document, endpoint).filter((parameter) => parameter.in !== 'header');
  if (own.length === 0) return null;
  const lines = own.map(({ name, required = false, schema, description, in: place }) => ({
    name,
    type: `${typeText(document, schema)}, in the ${place}`,
    mark: required ? ('required' as const) : null,
    notes: html`${inline(description)}${boundsText(schema)}`,
  }));
  return html`<h4>Parameters</h4>${fieldTable(lines)}`;
}

function boundsText({ minimum, maximum, enum: values }: Schema): HtmlPart {
  if (maximum !== undefined) return html` <span class="values">${minimum ?? 0} to ${maximum}.</span>`;
  if (values !== undefined) return html` <span class="values">Only <code>${values.join(', ')}</code>.</span>`;
  return null;
}

function bodyTable(document: ReadDocument, { requestBody }: Endpoint): HtmlPart {
  const schema = requestBody?.content['application/json']?.schema;
  return (
    schema !== undefined &&
    html`<h4>Body <span class="note"><code>application/json</code></span></h4>${schemaTable(document, schema, 'sent')}`
  );
}

/** Those of its own first; those that (nearly) every endpoint has are folded. */
function refusals(document: ReadDocument, { responses }: Endpoint, common: ReadonlySet<string>): Html {
  const all = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, response]) => refusalNamesOf(response).map((name) => ({ status, name })));
  const own = all.filter(({ name }) => !common.has(name));
  const others = all.filter(({ name }) => common.has(name));
  const table = (rows: typeof all) =>
    html`<table class="errors"><tbody>${rows.map(({ status, name }) => {
      const { summary = '', value } = document.components.examples[name] ?? {};
      return html`
<tr><td><code class="status">${status}</code></td><th scope="row"><a href="#error-${name}"><code>${codeOf(value)}</code></a></th><td>${inline(summary)}</td></tr>`;
    })}</tbody></table>`;
  return html`<h4>Errors</h4>
${own.length > 0 && table(own)}
<details><summary>${own.length > 0 ? 'And those of every call' : 'Those of every call'} <span class="dim">(${others.length})</span></summary>${table(others)}</details>`;
}

/** `error.code` of an example. */
export function codeOf(value: unknown): string {
  return (value as { readonly error?: { readonly code?: string } } | undefined)?.error?.code ?? '';
}

function examples(document: ReadDocument, endpoint: Endpoint): HtmlPart {
  const requests = endpoint.requestBody?.content['application/json']?.examples ?? {};
  const answers = Object.entries(endpoint.responses['200']?.content['application/json']?.examples ?? {});
  const shown = answers.map(([name, answer], index) => {
    const request = requests[name] as ShownExample | undefined;
    const isFirst = index === 0;
    const blocks = html`${(isFirst || request !== undefined) && codeBlock('Request', curlCommand(document, endpoint, request?.value))}
${codeBlock('Answer', jsonHtml((answer as ShownExample).value))}`;
    if (isFirst) return blocks;
    return html`<details><summary>${(answer as ShownExample).summary}</summary>${blocks}</details>`;
  });
  return answers.length > 0 ? shown : codeBlock('Request', curlCommand(document, endpoint, undefined));
}

/** A text in fixed-width letters, with a word on what it is. */
export function codeBlock(title: string, content: HtmlPart): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${content}</code></pre></figure>`;
}
