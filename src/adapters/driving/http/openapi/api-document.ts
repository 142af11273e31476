import type { JsonObject } from '../../../../domain/model/json.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './api-info.ts';
import { componentSchemas } from './components.ts';
import { operationObject } from './operation-object.ts';
import { OPERATIONS } from './operations/operations.ts';
import { PARAMETERS } from './parameters.ts';
import { refusalExamples, refusalGroups, refusalResponses } from './refusal-objects.ts';

/** Limits that a service's settings decide. */
export interface DocumentedLimits {
  /** Most items in one batch. */
  readonly maxBatch: number;
}

/** The OpenAPI 3.1 document of the API. `docs/openapi.json` is this with the limits that services have by default. */
export function apiDocument({ maxBatch }: DocumentedLimits): JsonObject {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: TAGS,
    paths: pathItems(),
    components: {
      schemas: componentSchemas(maxBatch),
      parameters: PARAMETERS,
      headers: ANSWER_HEADERS,
      responses: refusalResponses(OPERATIONS.flatMap(refusalGroups)),
      examples: refusalExamples(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function pathItems(): JsonObject {
  const paths = [...new Set(OPERATIONS.map(({ path }) => path))];
  return Object.fromEntries(paths.map((path) => [path, pathItem(path)]));
}

function pathItem(path: string): JsonObject {
  const operations = OPERATIONS.filter((operation) => operation.path === path);
  return Object.fromEntries(operations.map((operation) => [operation.method, operationObject(operation)]));
}
