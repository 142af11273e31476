import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { apiDocument } from '../../src/adapters/driving/http/openapi/api-document.ts';
import { readSettings } from '../../src/composition/settings.ts';

/** An answer of the service, as it was sent. */
export interface SentAnswer {
  readonly method: string;
  /** Request target: path and query, or in absolute form. */
  readonly target: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
  /** Endpoints of the application that answered, `get /api/v1/status`: where operators have a port of their own, each port has a part of them. Absent: all. */
  readonly routes?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader would, by its names.
type Json = any;

/** ISO 8601 in UTC, as answers have it. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/**
 * Says what of an answer is not as the OpenAPI document has it: a status that its endpoint does not have, a code, a field or a value that is not there, a header that is missing. Answers are open in what is published, so that clients bear additions;
 * here they are closed: what the service answers today is what is documented today.
 */
export class AnswerChecker {
  readonly #document: Json;
  readonly #templates: readonly { readonly path: string; readonly pattern: RegExp }[];
  readonly #ajv = new Ajv2020({ allErrors: true, strict: true, formats: { 'date-time': MOMENT } });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: object = apiDocument(readSettings({}))) {
    this.#document = closed(structuredClone(document));
    this.#ajv.addVocabulary(['x-extensible-enum', 'components']);
    this.#ajv.addSchema({ $id: 'https://document.invalid/', components: this.#document.components } as AnySchema);
    this.#templates = Object.keys(this.#document.paths).map((path) => ({ path, pattern: patternOf(path) }));
  }

  /** Each fault as a sentence; none where the answer is as documented. */
  faultsOf(answer: SentAnswer): readonly string[] {
    const responses = this.#responsesTo(answer);
    if (responses.length === 0) return [`status ${answer.status} is not documented for it`];
    const faults = responses.map((pointer) => this.#faultsBy(pointer, answer));
    return faults.find((found) => found.length === 0) ?? faults[0] ?? [];
  }

  /** The same of an answer whose request is not known: it has to be an error of some endpoint. */
  errorFaultsOf(status: number, body: unknown): readonly string[] {
    const pointers = this.#everywhere(status);
    const isKnown = pointers.some((pointer) => this.#validator(`${pointer}/content/application~1json/schema`)(body));
    return isKnown ? [] : [`no endpoint is documented to answer ${status} with this body`];
  }

  /** JSON pointers of the answers that may have been meant. */
  #responsesTo({ method, target, status, routes }: SentAnswer): readonly string[] {
    const path = pathOf(target);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.path ?? '';
    const operation = this.#document.paths[template]?.[verb];
    const isServed = routes?.includes(`${verb} ${template}`) !== false;
    if (operation !== undefined && isServed) return resolved(operation.responses[status], template, verb, status);
    // No endpoint: what is said to all, before any is looked for, or that there is none.
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

  #faultsBy(pointer: string, { method, headers, body }: SentAnswer): readonly string[] {
    const response = this.#at(pointer);
    const contentType = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = response.content[contentType];
    if (content === undefined) return [`Content-Type is ${contentType}, and none of ${Object.keys(response.content)}`];
    if (contentType !== 'application/json' || (method === 'HEAD' && body === '')) return [];
    const validate = this.#validator(`${pointer}/content/application~1json/schema`, content.schema);
    const json = JSON.parse(body);
    return validate(json)
      ? headerFaults(json, headers)
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

function headerFaults({ error }: Json, headers: SentAnswer['headers']): readonly string[] {
  const named = ['X-Request-Id', 'X-Correlation-Id'].filter((name) => headers[name.toLowerCase()] === undefined);
  const faults = named.map((name) => `${name} is missing`);
  if (error === undefined) return faults;
  const { code, details } = error;
  const isTimed = typeof (details.retryAfterMs ?? details.retryAfterSeconds) === 'number';
  return [
    ...faults,
    ...(isTimed && headers['retry-after'] === undefined ? ['Retry-After is missing'] : []),
    ...(code === 'METHOD_NOT_ALLOWED' && headers['allow'] === undefined ? ['Allow is missing'] : []),
    ...(code === 'UNAUTHENTICATED' && headers['www-authenticate'] === undefined ? ['WWW-Authenticate is missing'] : []),
  ];
}

/** Every object closed that names its members, every list that may grow taken as it is. */
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

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, '[^/]+')}$`);
}

function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '');
  return path.split('?')[0] ?? '';
}
