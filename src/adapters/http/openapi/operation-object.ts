import type { JsonObject } from '../../../domain/model/json.ts';
import { REFUSALS } from '../refusals.ts';
import { ROUTES } from '../route.ts';
import { SECURITY } from './api-info.ts';
import { schemaReference } from './components.ts';
import type { Operation } from './operation.ts';
import { COMMON_HEADERS, type ParameterName } from './parameters.ts';
import { refusalGroups, responseReference, UNROUTED_REFUSALS } from './refusal-responses.ts';
import { COMMON_RESPONSE_HEADERS, headerReferences } from './response-headers.ts';

/** An OpenAPI operation object. */
export function operationObject(operation: Operation): JsonObject {
  const { operationId, tag, summary, description, parameters } = operation;
  const body = requestBody(operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: ROUTES[operationId].operation === 'open' ? [] : SECURITY,
    parameters: [...parameters, ...COMMON_HEADERS].map(parameterReference),
    ...(body !== null && { requestBody: body }),
    responses: responses(operation),
  };
}

function parameterReference(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

function requestBody({ request, examples }: Operation): JsonObject | null {
  if (request === undefined) return null;
  const shown = Object.entries(examples).flatMap(([name, { summary, body }]) =>
    body === undefined ? [] : [[name, { summary, value: body }]],
  );
  const content = { schema: schemaReference(request), examples: Object.fromEntries(shown) };
  return { required: true, content: { 'application/json': content } };
}

function responses(operation: Operation): JsonObject {
  const groups = refusalGroups(operation).map((names) => [
    names === UNROUTED_REFUSALS ? 'default' : REFUSALS[names[0]].status,
    responseReference(names),
  ]);
  return { 200: successResponse(operation), ...Object.fromEntries(groups) };
}

function successResponse(operation: Operation): JsonObject {
  const { response } = operation;
  const headers = headerReferences(COMMON_RESPONSE_HEADERS);
  if ('contentTypes' in response) {
    const content = Object.fromEntries(response.contentTypes.map((type) => [type, { schema: response.schema }]));
    return { description: response.description, headers, content };
  }
  const examples = Object.entries(operation.examples).map(([name, example]) => [
    name,
    { summary: example.summary, value: { success: true, data: example.response } },
  ]);
  const schema = {
    type: 'object',
    properties: { success: { type: 'boolean', const: true }, data: schemaReference(response.schema) },
    required: ['success', 'data'],
  };
  const content = { 'application/json': { schema, examples: Object.fromEntries(examples) } };
  return { description: response.description, headers, content };
}
