import type { JsonObject } from '../../../domain/model/json.ts';
import { ROUTES } from '../route.ts';
import { callHtml, codeBlock, endpointSection } from './endpoint-section.ts';
import { commonRefusals, errorChapter } from './error-chapter.ts';
import { type Html, html, inline, paragraphs, trusted } from './html.ts';
import { contentSecurityPolicy, ICON } from './page-style.ts';
import { type Endpoint, listEndpoints, type ReadDocument } from './read-document.ts';
import { fieldTable } from './schema-table.ts';
import { STYLE_SHEET } from './style-sheet.ts';

/** An HTML page and its Content-Security-Policy. */
export interface DocumentationPage {
  readonly html: string;
  /** Header value (W3C CSP Level 3). */
  readonly contentSecurityPolicy: string;
}

/** Allows only the inline style sheet. */
const POLICY = contentSecurityPolicy(STYLE_SHEET);

/** Renders the OpenAPI document as one self-contained HTML page. */
export function documentationPage(json: JsonObject): DocumentationPage {
  const document = json as unknown as ReadDocument;
  const endpoints = listEndpoints(document);
  const common = commonRefusals(endpoints);
  const { info, tags } = document;
  const groups = tags.map((tag) => ({ ...tag, endpoints: endpoints.filter(({ tags: [name] }) => name === tag.name) }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: HTTP API</title>
<link rel="icon" href="${ICON}">
<style>${trusted(STYLE_SHEET)}</style>
</head>
<body>
<a class="skip" href="#top">Skip to content</a>
<div class="frame">
<nav aria-label="Endpoints">
<strong><img class="seal" src="${ICON}" alt="">${info.title}</strong>
${groups.map(({ name, endpoints: listed }) => html`<h2>${name}</h2><ul>${listed.map(navigationItem)}</ul>`)}
<h2>Reference</h2>
<ul>${CHAPTERS.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
</nav>
<main id="top">
<header>
<h1>${info.title}</h1>
<p class="lead">${info.summary}</p>
${paragraphs(info.description)}
<ul class="facts"><li>Version ${info.version}</li><li>OpenAPI 3.1: <a href="${ROUTES.getApiDocument.path.slice(1)}">${ROUTES.getApiDocument.path.slice(1)}</a></li><li>JSON over HTTP/1.1</li></ul>
${codeBlock('Service URL in the examples', 'SERVICE=http://127.0.0.1:8080')}
<p>The examples use sample platforms and accounts. Replace them with your own; <a href="#listAccounts">list the accounts</a> to see them.</p>
<ul class="overview">${endpoints.map(overviewItem)}</ul>
</header>
${groups.map(
  ({ name, description, endpoints: listed }) => html`
<section class="group"><h2>${name}</h2><p>${inline(description)}</p>
${listed.map((endpoint) => endpointSection(document, endpoint, common))}
</section>`,
)}
<div class="group">${errorChapter(document, endpoints)}</div>
${headerChapter(document)}
${callerChapter(document)}
<footer>Generated from the schemas that validate requests. <a href="#top">Back to top</a></footer>
</main>
</div>
</body>
</html>
`;
  return { html: page.text, contentSecurityPolicy: POLICY };
}

const CHAPTERS = [
  { id: 'errors', title: 'Errors' },
  { id: 'headers', title: 'Headers' },
  { id: 'callers', title: 'Authentication' },
] as const;

function navigationItem({ method, operationId, summary }: Endpoint): Html {
  return html`<li><a href="#${operationId}"><span class="verb ${method}">${method.toUpperCase()}</span><span>${summary}</span></a></li>`;
}

function overviewItem(endpoint: Endpoint): Html {
  return html`<li><a href="#${endpoint.operationId}">${callHtml(endpoint)} <span>${endpoint.summary}</span></a></li>`;
}

function headerChapter({ components }: ReadDocument): Html {
  const requestHeaders = Object.values(components.parameters).filter((parameter) => parameter.in === 'header');
  const responded = Object.entries(components.headers);
  const line = (name: string, description: string) => ({
    ...{ name, type: 'text', mark: null },
    notes: inline(description),
  });
  return html`
<section class="group" id="headers"><h2><a href="#headers">Headers</a></h2>
<h4>Request headers</h4>${fieldTable(requestHeaders.map(({ name, description }) => line(name, description)))}
<h4>Response headers</h4>${fieldTable(responded.map(([name, { description }]) => line(name, description)))}
</section>`;
}

function callerChapter({ components }: ReadDocument): Html {
  const schemes = Object.values(components.securitySchemes).map(({ type, name, description }) => ({
    ...{ name: name ?? type, type: type === 'apiKey' ? 'header' : 'TLS', mark: null },
    notes: inline(description),
  }));
  return html`
<section class="group" id="callers"><h2><a href="#callers">Authentication</a></h2>
<p>By default, the service accepts every caller in the allowed networks. It can be configured to authenticate callers by one or both of these schemes. Health and documentation endpoints need no authentication.</p>
${fieldTable(schemes)}
</section>`;
}
