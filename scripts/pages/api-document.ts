import {
  REFUSAL_NAMES,
  REFUSALS,
  type RefusalName,
  refuseRequest,
  toError,
  toHeaders,
} from '../../src/adapters/http/refusals.ts';
import { ROUTES } from '../../src/adapters/http/route.ts';
import type { Refusal } from '../../src/domain/model/refusal.ts';
import { COMPONENT_SCHEMAS } from './api-schemas.ts';
import { API, getEndpoint, listRefusals, OPERATIONS, type Operation, type OperationId } from './api-source.ts';

/** Headers that every request may have. */
const REQUEST_HEADERS = ['RequestId', 'Traceparent'];

const RESPONSE_HEADERS = ['X-Request-Id', 'X-Correlation-Id', 'Signing-Response-Auth'];

/** By default callers need neither scheme; a service may require one or both. */
const SECURITY = [
  {},
  { clientCertificate: [] },
  { signingRequestAuth: [] },
  { clientCertificate: [], signingRequestAuth: [] },
];

/** For unknown paths and methods. */
const UNROUTED: readonly RefusalName[] = ['NotFound', 'MethodNotAllowed'];

/** The OpenAPI 3.1 document, with default limits. */
export function apiDocument(): object {
  const { info, tags, parameters, headers, securitySchemes } = API;
  const paths: { [path: string]: object } = {};
  for (const [id, operation] of OPERATIONS) {
    const { method, path } = getEndpoint(id);
    paths[path] = { ...paths[path], [method]: operationObject(id, operation) };
  }
  const groups = OPERATIONS.flatMap((entry) => groupRefusals(...entry));
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'This service.' }],
    tags,
    paths,
    components: {
      ...{ schemas: COMPONENT_SCHEMAS, parameters, headers },
      responses: Object.fromEntries(groups.map(([, names]) => [names.join('-'), errorResponse(names)])),
      examples: Object.fromEntries(REFUSAL_NAMES.map((name) => [name, errorExample(name)])),
      securitySchemes,
    },
  };
}

function operationObject(id: OperationId, operation: Operation): object {
  const { tag, summary, description, parameters = [], request, response, examples = {} } = operation;
  const requests = mapValues(examples, (example) => ({ summary: example.summary, value: example.body }));
  const body = { schema: reference('schemas', String(request)), examples: requests };
  const refusals = groupRefusals(id, operation).map(([status, names]) => [
    status,
    reference('responses', names.join('-')),
  ]);
  return {
    ...{ operationId: id, tags: [tag], summary, description },
    security: ROUTES[id].operation === 'open' ? [] : SECURITY,
    parameters: [...parameters, ...REQUEST_HEADERS].map((name) => reference('parameters', name)),
    ...(request !== undefined && { requestBody: { required: true, content: { 'application/json': body } } }),
    responses: {
      200: {
        description: response.description,
        headers: headerReferences(RESPONSE_HEADERS),
        content: successContent(response, examples),
      },
      ...Object.fromEntries(refusals),
    },
  };
}

function successContent({ schema, contentTypes }: Operation['response'], examples: NonNullable<Operation['examples']>) {
  if (contentTypes !== undefined) return Object.fromEntries(contentTypes.map((type) => [type, { schema }]));
  const shown = mapValues(examples, ({ summary, response: data }) => ({ summary, value: { success: true, data } }));
  return envelope(true, { data: reference('schemas', String(schema)) }, shown);
}

/** The refusals of an operation by status, then those of unknown paths and methods. */
function groupRefusals(id: OperationId, operation: Operation) {
  const names = listRefusals(id, operation);
  const statuses = new Set(names.map((name) => REFUSALS[name].status));
  return [
    ...[...statuses].map((status) => [status, names.filter((name) => REFUSALS[name].status === status)] as const),
    ['default', UNROUTED] as const,
  ];
}

/** The OpenAPI response object that covers these refusals. */
function errorResponse(names: readonly RefusalName[]): object {
  const schemas = names.map((name) => reference('schemas', name));
  const headers = names.flatMap((name) => Object.keys(toHeaders(exampleOf(name))));
  return {
    description: names.map((name) => `\`${REFUSALS[name].code}\`: ${REFUSALS[name].when}`).join('\n\n'),
    headers: headerReferences([...new Set([...RESPONSE_HEADERS, ...headers])]),
    content: envelope(
      false,
      { error: schemas.length === 1 ? schemas[0] : { anyOf: schemas } },
      Object.fromEntries(names.map((name) => [name, reference('examples', name)])),
    ),
  };
}

/** A JSON response in the form of every one. */
function envelope(success: boolean, member: object, examples: object): object {
  const properties = { success: { type: 'boolean', const: success }, ...member };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return { 'application/json': { schema, examples } };
}

/** An example object of a refusal. */
export function errorExample(name: RefusalName) {
  const { when, status } = REFUSALS[name];
  return { summary: when, value: { success: false, error: toError(exampleOf(name)) }, 'x-status': status };
}

function exampleOf(name: RefusalName): Refusal {
  return refuseRequest(name, REFUSALS[name].example as never);
}

function headerReferences(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
}

function reference(kind: string, name: string): object {
  return { $ref: `#/components/${kind}/${name}` };
}

function mapValues<Value>(values: { readonly [name: string]: Value }, map: (value: Value) => object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
