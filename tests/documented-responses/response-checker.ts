import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { readProjectFile } from '../project-root.ts';

/** A response as sent. */
export interface SentResponse {
  readonly method: string;
  /** Path and query, or absolute form. */
  readonly target: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
  /** Endpoints of the application, such as `get /api/v1/status`; default: all. */
  readonly routes?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document is read by its field names.
type Json = any;

/** ISO 8601 in UTC. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

let shared: ResponseChecker | undefined;

/** The checker of docs/openapi.json, which compiles each schema once in a process. */
export function sharedChecker(): ResponseChecker {
  shared ??= new ResponseChecker();
  return shared;
}

/**
 * Validates responses against docs/openapi.json: status, code, fields, values and headers.
 * Published schemas are open for additions; here they are closed, so that everything sent is
 * documented.
 */
export class ResponseChecker {
  readonly #document: Json;
  readonly #templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** Optimization takes longer than it saves here. */
  readonly #ajv = new Ajv2020({
    ...{ allErrors: true, strict: true, formats: { 'date-time': MOMENT } },
    code: { optimize: false },
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    this.#document = closed(JSON.parse(readProjectFile('docs/openapi.json')));
    this.#ajv.addVocabulary(['x-extensible-enum', 'components']);
    this.#ajv.addSchema({ $id: 'https://document.invalid/', components: this.#document.components } as AnySchema);
    this.#templates = Object.keys(this.#document.paths).map((path) => ({ path, pattern: toPattern(path) }));
  }

  /** Issues as sentences; empty if valid. */
  findIssues(response: SentResponse): readonly string[] {
    const responses = this.#responsesTo(response);
    if (responses.length === 0) return [`status ${response.status} is not documented for it`];
    const issues = responses.map((pointer) => this.#validateAgainst(pointer, response));
    return issues.find((found) => found.length === 0) ?? issues[0] ?? [];
  }

  /** For a response without a known request: an error of any endpoint. */
  findErrorIssues(status: number, body: unknown): readonly string[] {
    const pointers = this.#everywhere(status);
    const isKnown = pointers.some((pointer) => this.#validator(`${pointer}/content/application~1json/schema`)(body));
    return isKnown ? [] : [`no endpoint is documented to answer ${status} with this body`];
  }

  /** JSON pointers of possible responses. */
  #responsesTo({ method, target, status, routes }: SentResponse): readonly string[] {
    const path = getPath(target);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.path ?? '';
    const operation = this.#document.paths[template]?.[verb];
    const isServed = routes?.includes(`${verb} ${template}`) !== false;
    if (operation !== undefined && isServed) return resolved(operation.responses[status], template, verb, status);
    // Unknown endpoint: a common error, or 404 and 405.
    return status === 404 || status === 405
      ? ['#/components/responses/NotFound-MethodNotAllowed']
      : this.#everywhere(status);
  }

  #everywhere(status: number): readonly string[] {
    const responses = Object.values(this.#document.paths).flatMap((operations: Json) =>
      Object.values(operations).map((operation: Json) => operation.responses[status]?.$ref),
    );
    const unrouted = status === 404 || status === 405 ? ['#/components/responses/NotFound-MethodNotAllowed'] : [];
    return [...new Set([...responses.filter((ref) => ref !== undefined), ...unrouted])];
  }

  #validateAgainst(pointer: string, { method, headers, body }: SentResponse): readonly string[] {
    const response = this.#at(pointer);
    const contentType = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = response.content[contentType];
    if (content === undefined) return [`Content-Type is ${contentType}, and none of ${Object.keys(response.content)}`];
    if (contentType !== 'application/json' || (method === 'HEAD' && body === '')) return [];
    const validate = this.#validator(`${pointer}/content/application~1json/schema`, content.schema);
    const json = JSON.parse(body);
    return validate(json)
      ? findHeaderIssues(json, headers)
      : (validate.errors ?? []).map(({ instancePath, message, params }) => {
          return `${instancePath || 'the body'} ${message} (${JSON.stringify(params)})`;
        });
  }

  /** Compiled once. */
  #validator(pointer: string, schema: AnySchema = this.#at(pointer)): ValidateFunction {
    const known = this.#validators.get(pointer);
    if (known !== undefined) return known;
    const compiled = this.#ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"https://document.invalid/#/components/')),
    );
    this.#validators.set(pointer, compiled);
    return compiled;
  }

  #at(pointer: string): Json {
    const steps = pointer.slice(2).split('/');
    return steps.reduce((value, step) => value[step.replaceAll('~1', '/')], this.#document);
  }
}

function resolved(response: Json, path: string, verb: string, status: number): readonly string[] {
  if (response === undefined) return [];
  return [response.$ref ?? `#/paths/${path.replaceAll('/', '~1')}/${verb}/responses/${status}`];
}

function findHeaderIssues({ error }: Json, headers: SentResponse['headers']): readonly string[] {
  const named = ['X-Request-Id', 'X-Correlation-Id'].filter((name) => headers[name.toLowerCase()] === undefined);
  const issues = named.map((name) => `${name} is missing`);
  if (error === undefined) return issues;
  const { code, details } = error;
  const isTimed = typeof (details.retryAfterMs ?? details.retryAfterSeconds) === 'number';
  return [
    ...issues,
    ...(isTimed && headers['retry-after'] === undefined ? ['Retry-After is missing'] : []),
    ...(code === 'METHOD_NOT_ALLOWED' && headers['allow'] === undefined ? ['Allow is missing'] : []),
    ...(code === 'UNAUTHENTICATED' && headers['www-authenticate'] === undefined ? ['WWW-Authenticate is missing'] : []),
  ];
}

/** Closes objects with named members and extensible enums. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  if (inner['x-extensible-enum'] !== undefined) inner['enum'] = inner['x-extensible-enum'];
  const isOpenObject = inner['type'] === 'object' && inner['properties'] !== undefined;
  return isOpenObject && inner['additionalProperties'] === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, '[^/]+')}$`);
}

function getPath(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.split('?')[0] ?? '';
}
