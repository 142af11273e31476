import type { JsonValue } from '../../../domain/model/json.ts';
import { type Html, type HtmlPart, html, inline, jsonHtml, paragraphs } from './html.ts';
import {
  type DisplayedExample,
  type Endpoint,
  getRefusalNames,
  listParameters,
  type Parameter,
  type ReadDocument,
  type Schema,
} from './read-document.ts';
import { fieldTable, formatType, schemaTable } from './schema-table.ts';

/** A curl command for an endpoint with its example parameters. */
export function curlCommand(document: ReadDocument, endpoint: Endpoint, body: JsonValue | undefined): string {
  const target = `"$SERVICE${buildTarget(endpoint.path, listParameters(document, endpoint))}"`;
  if (body === undefined) return `curl ${endpoint.method === 'get' ? '' : '-X POST '}${target}`;
  const text = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl ${target} \\\n  -H 'Content-Type: application/json' \\\n  -d '${text}'`;
}

function buildTarget(path: string, parameters: readonly Parameter[]): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example = '' }) => text.replace(`{${name}}`, example), path);
  const query = parameters
    .filter(({ in: location, example }) => location === 'query' && example !== undefined)
    .map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Method and path. */
export function callHtml({ method, path }: Pick<Endpoint, 'method' | 'path'>): Html {
  return html`<span class="verb ${method}">${method.toUpperCase()}</span> <code class="path">${path}</code>`;
}

/** The section of an endpoint: description, parameters, response, errors, examples. */
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
${data !== undefined && html`<h4>Response <span class="note"><code>200</code>, fields of <code>data</code></span></h4>${schemaTable(document, data, 'response')}`}
${refusals(document, endpoint, common)}
</div>
<div class="shown">${examples(document, endpoint)}</div>
</section>`;
}

/** Without the common headers, which have their own chapter. */
function parameterTable(document: ReadDocument, endpoint: Endpoint): HtmlPart {
  const own = listParameters(document, endpoint).filter((parameter) => parameter.in !== 'header');
  if (own.length === 0) return null;
  const lines = own.map(({ name, required = false, schema, description, in: location }) => ({
    name,
    type: `${formatType(document, schema)}, in the ${location}`,
    mark: required ? ('required' as const) : null,
    notes: html`${inline(description)}${formatBounds(schema)}`,
  }));
  return html`<h4>Parameters</h4>${fieldTable(lines)}`;
}

function formatBounds({ minimum, maximum, enum: values }: Schema): HtmlPart {
  if (maximum !== undefined) return html` <span class="values">${minimum ?? 0} to ${maximum}.</span>`;
  if (values !== undefined) return html` <span class="values">Value: <code>${values.join(', ')}</code>.</span>`;
  return null;
}

function bodyTable(document: ReadDocument, { requestBody }: Endpoint): HtmlPart {
  const schema = requestBody?.content['application/json']?.schema;
  return (
    schema !== undefined &&
    html`<h4>Body <span class="note"><code>application/json</code></span></h4>${schemaTable(document, schema, 'request')}`
  );
}

/** The endpoint's own errors, then the common ones, folded. */
function refusals(document: ReadDocument, { responses }: Endpoint, common: ReadonlySet<string>): Html {
  const all = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, response]) => getRefusalNames(response).map((name) => ({ status, name })));
  const own = all.filter(({ name }) => !common.has(name));
  const others = all.filter(({ name }) => common.has(name));
  const table = (rows: typeof all) =>
    html`<table class="errors"><tbody>${rows.map(({ status, name }) => {
      const { summary = '', value } = document.components.examples[name] ?? {};
      return html`
<tr><td><code class="status">${status}</code></td><th scope="row"><a href="#error-${name}"><code>${getErrorCode(value)}</code></a></th><td>${inline(summary)}</td></tr>`;
    })}</tbody></table>`;
  return html`<h4>Errors</h4>
${own.length > 0 && table(own)}
<details><summary>Common errors <span class="dim">(${others.length})</span></summary>${table(others)}</details>`;
}

/** `error.code` of an example. */
export function getErrorCode(value: unknown): string {
  return (value as { readonly error?: { readonly code?: string } } | undefined)?.error?.code ?? '';
}

function examples(document: ReadDocument, endpoint: Endpoint): HtmlPart {
  const requests = endpoint.requestBody?.content['application/json']?.examples ?? {};
  const examples = Object.entries(endpoint.responses['200']?.content['application/json']?.examples ?? {});
  const shown = examples.map(([name, example], index) => {
    const request = requests[name] as DisplayedExample | undefined;
    const isFirst = index === 0;
    const blocks = html`${(isFirst || request !== undefined) && codeBlock('Request', curlCommand(document, endpoint, request?.value))}
${codeBlock('Response', jsonHtml((example as DisplayedExample).value))}`;
    if (isFirst) return blocks;
    return html`<details><summary>${(example as DisplayedExample).summary}</summary>${blocks}</details>`;
  });
  return examples.length > 0 ? shown : codeBlock('Request', curlCommand(document, endpoint, undefined));
}

/** A titled code block. */
export function codeBlock(title: string, content: HtmlPart): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${content}</code></pre></figure>`;
}
