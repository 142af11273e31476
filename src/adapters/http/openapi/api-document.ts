import type { JsonObject } from '../../../domain/model/json.ts';
import { ROUTES } from '../route.ts';
import { INFO, SECURITY_SCHEMES, TAGS } from './api-info.ts';
import { componentSchemas } from './components.ts';
import type { Operation } from './operation.ts';
import { operationObject } from './operation-object.ts';
import { ACCOUNT_OPERATION, ACCOUNTS_OPERATION } from './operations/account-operations.ts';
import {
  DOCS_OPERATION,
  HEALTHZ_OPERATION,
  OPENAPI_OPERATION,
  READYZ_OPERATION,
} from './operations/open-operations.ts';
import { METRICS_OPERATION, RELOAD_OPERATION, STATUS_OPERATION } from './operations/operator-operations.ts';
import { SIGN_BATCH_OPERATION, SIGN_OPERATION, VERIFY_OPERATION } from './operations/signing-operations.ts';
import { PARAMETERS } from './parameters.ts';
import { refusalExamples, refusalGroups, refusalResponses } from './refusal-responses.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** All published endpoints, the specification's first. A test compares them with the routes. */
export const OPERATIONS: readonly Operation[] = [
  SIGN_OPERATION,
  SIGN_BATCH_OPERATION,
  VERIFY_OPERATION,
  ACCOUNTS_OPERATION,
  ACCOUNT_OPERATION,
  RELOAD_OPERATION,
  STATUS_OPERATION,
  METRICS_OPERATION,
  HEALTHZ_OPERATION,
  READYZ_OPERATION,
  OPENAPI_OPERATION,
  DOCS_OPERATION,
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
