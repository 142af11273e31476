import type { JsonObject } from '../../../domain/model/json.ts';
import { ROUTES } from '../route.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './api-info.ts';
import { componentSchemas } from './components.ts';
import type { Operation } from './operation.ts';
import { operationObject } from './operation-object.ts';
import { ACCOUNT_OPERATIONS } from './operations/account-operations.ts';
import { OPEN_OPERATIONS } from './operations/open-operations.ts';
import { OPERATOR_OPERATIONS } from './operations/operator-operations.ts';
import { SIGNING_OPERATIONS } from './operations/signing-operations.ts';
import { PARAMETERS } from './parameters.ts';
import { refusalExamples, refusalGroups, refusalResponses } from './refusal-responses.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** All published endpoints, the specification's first. A test compares them with the routes. */
export const OPERATIONS: readonly Operation[] = [
  ...SIGNING_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...OPEN_OPERATIONS,
];

/** Limits that depend on settings. */
export interface DocumentedLimits {
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
}

/** The OpenAPI 3.1 document; `docs/openapi.json` has the default limits. */
export function apiDocument({ maxBatch }: DocumentedLimits): JsonObject {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/', description: 'This service.' }],
    tags: TAGS,
    paths: pathItems(),
    components: {
      schemas: componentSchemas(maxBatch),
      parameters: PARAMETERS,
      headers: RESPONSE_HEADERS,
      responses: refusalResponses(OPERATIONS.flatMap(refusalGroups)),
      examples: refusalExamples(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function pathItems(): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of OPERATIONS) {
    const { method, path } = ROUTES[operation.operationId];
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method]: operationObject(operation) };
  }
  return paths;
}
