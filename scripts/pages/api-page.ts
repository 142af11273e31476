import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { REFUSAL_NAMES, REFUSALS, type RefusalName } from '../../src/adapters/http/refusals.ts';
import { MAX_BATCH_MARK } from '../../src/adapters/http/routes/documents.ts';
import { errorExample } from './api-document.ts';
import { COMPONENT_SCHEMAS, type Schema } from './api-schemas.ts';
import { API, getEndpoint, listRefusals, OPERATIONS, type Parameter } from './api-source.ts';
import { describeField, fieldList, linkError } from './field-list.ts';

/** A key in a ring. */
const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='%233b50c4'/><path d='M16 6a6 6 0 0 0-2 11.6V26h4v-3h2v-3h-2v-2.4A6 6 0 0 0 16 6m0 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4' fill='%23fff'/></svg>";

const CHAPTERS = { errors: 'Errors', headers: 'Headers', authentication: 'Authentication' };

/** The API as one HTML page without scripts, in which the service fills in its largest batch. */
export function apiPage(): string {
  const batch = COMPONENT_SCHEMAS['BatchRequest']?.properties?.['requests'] as Schema | undefined;
  return wholePage().replace(`1 to ${batch?.maxItems} items`, `1 to ${MAX_BATCH_MARK} items`);
}

function wholePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${API.info.title}: HTTP API</title>
<link rel="icon" href="${ICON}">
<style>
${readFileSync(new URL('api-page.css', import.meta.url), 'utf8')}</style>
</head>
<body>
<a class="skip" href="#top">Skip to content</a>
<nav aria-label="Contents">
${toHtml(navigation())}</nav>
<main id="top">
${toHtml([introduction(), ...API.tags.map(operationGroup), errorChapter(), headerChapter(), authenticationChapter()])}</main>
</body>
</html>
`;
}

/** Of Markdown. */
function toHtml(parts: readonly string[]): string {
  return marked.parse(parts.join('\n\n'), { async: false });
}

function navigation(): readonly string[] {
  const links = (targets: readonly (readonly [id: string, title: string])[]) =>
    list(targets.map(([id, title]) => `[${title}](#${id})`));
  const groups = API.tags.map(
    ({ name }) => `**${name}**\n\n${links(listTagged(name).map(([id, { summary }]) => [id, summary]))}`,
  );
  return [...groups, `**Reference**\n\n${links(Object.entries(CHAPTERS))}`];
}

function introduction(): string {
  const { title, version, summary, description } = API.info;
  return `# ${title}

*${summary}*

${description}

Version ${version}. OpenAPI 3.1: [openapi.json](openapi.json).

The examples use sample platforms and accounts. Replace them with your own, and set the URL of the service:

${codeBlock('sh', 'SERVICE=http://127.0.0.1:8080')}`;
}

function operationGroup({ name, description }: (typeof API.tags)[number]): string {
  return [`## ${name}`, description, ...listTagged(name).map(operationSection)].join('\n\n');
}

function listTagged(name: string): typeof OPERATIONS {
  return OPERATIONS.filter(([, { tag }]) => tag === name);
}

/** Description, parameters, body, response, errors and examples. */
function operationSection([id, operation]: (typeof OPERATIONS)[number]): string {
  const { method, path } = getEndpoint(id);
  const { summary, description, parameters = [], request = '', response, examples = {} } = operation;
  const verb = method.toUpperCase();
  const data = typeof response.schema === 'string' ? response.schema : '';
  const errors = listRefusals(id, operation).filter((name) => !isCommon(name));
  return [
    `<h3 id="${id}">${summary}</h3>`,
    `**\`${verb} ${path}\`**`,
    description,
    ...titled('Parameters', list(parameters.flatMap((name) => API.parameters[name] ?? []).map(describeParameter))),
    ...titled('Body', fieldList(COMPONENT_SCHEMAS[request] ?? {}, true)),
    ...titled('Response: fields of `data`', fieldList(COMPONENT_SCHEMAS[data] ?? {}, false)),
    ...titled('Errors, besides the [common ones](#errors)', list(errors.map(describeError))),
    ...Object.values(examples).flatMap(({ summary: what, target, body, response: value }) => [
      `#### Example: ${what}`,
      codeBlock('sh', curlCommand(verb, target, body)),
      codeBlock('json', formatJson({ success: true, data: value })),
    ]),
  ].join('\n\n');
}

function titled(title: string, content: string): readonly string[] {
  return content === '' ? [] : [`#### ${title}`, content];
}

function describeParameter({ name, in: place, required, schema, description }: Parameter): string {
  return describeField(name, `, in the ${place}${required === true ? ', required' : ''}`, { ...schema, description });
}

function describeError(name: RefusalName): string {
  return `\`${REFUSALS[name].status}\` ${linkError(name, `\`${REFUSALS[name].code}\``)} ${REFUSALS[name].when}`;
}

/** Refusals that all guarded operations share. */
function isCommon(name: RefusalName): boolean {
  return REFUSALS[name].endpoints.some((scope) => scope === 'all' || scope === 'guarded');
}

/** A command that passes the body unchanged through a shell. */
function curlCommand(verb: string, target: string, body: object | undefined): string {
  if (body === undefined) return `curl ${verb === 'GET' ? '' : `-X ${verb} `}"$SERVICE${target}"`;
  const text = formatJson(body).replaceAll("'", "'\\''");
  return `curl "$SERVICE${target}" \\\n  -H 'Content-Type: application/json' \\\n  -d '${text}'`;
}

function errorChapter(): string {
  const sections = REFUSAL_NAMES.toSorted((one, other) => REFUSALS[one].status - REFUSALS[other].status).map((name) => {
    const { code, status, when } = REFUSALS[name];
    const details = COMPONENT_SCHEMAS[name]?.properties?.['details'];
    return [
      `<h3 id="error-${name}"><code>${status} ${code}</code> ${name}</h3>`,
      when,
      ...titled('Fields of `error.details`', fieldList(details as Schema, false)),
      codeBlock('json', formatJson(errorExample(name).value)),
    ].join('\n\n');
  });
  return [
    chapterTitle('errors'),
    'Handle errors by `error.code`, and unknown codes by the HTTP status. One code can have several reasons, which `details` distinguishes.',
    'Every endpoint except health and documentation can respond with these:',
    list(REFUSAL_NAMES.filter(isCommon).map(describeError)),
    ...sections,
  ].join('\n\n');
}

function headerChapter(): string {
  const ofRequests = Object.values(API.parameters).filter((parameter) => parameter.in === 'header');
  return [
    chapterTitle('headers'),
    '### Request headers',
    list(ofRequests.map(({ name, description }) => `\`${name}\` ${description}`)),
    '### Response headers',
    list(Object.entries(API.headers).map(([name, { description }]) => `\`${name}\` ${description}`)),
  ].join('\n\n');
}

function authenticationChapter(): string {
  return [
    chapterTitle('authentication'),
    'By default, the service accepts every caller in the allowed networks. It can be configured to authenticate callers by one or both of these schemes. Health and documentation endpoints need no authentication.',
    list(Object.values(API.securitySchemes).map(({ type, name, description }) => `\`${name ?? type}\` ${description}`)),
  ].join('\n\n');
}

function chapterTitle(id: keyof typeof CHAPTERS): string {
  return `<h2 id="${id}">${CHAPTERS[id]}</h2>`;
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function formatJson(value: object): string {
  return JSON.stringify(value, null, 2);
}
