import { DOCUMENT_PATHS, HEALTH_PATHS } from '../../route.ts';
import type { LivenessResponse, ReadinessResponse } from '../../schemas/status-responses.ts';
import type { Operation } from '../operation.ts';

/** `GET /healthz`. */
export const HEALTHZ_OPERATION: Operation = {
  operationId: 'isAlive',
  tag: 'Health',
  method: 'get',
  path: HEALTH_PATHS.alive,
  summary: 'Say whether the process is alive',
  description: 'It is, as long as this is answered at all. For orchestrators; nobody is asked who he is.',
  parameters: [],
  response: { schema: 'Alive', description: 'It is.' },
  examples: {
    alive: { summary: 'Alive', target: HEALTH_PATHS.alive, response: { status: 'alive' } satisfies LivenessResponse },
  },
  refusals: [],
  isOpen: true,
};

/** `GET /readyz`. */
export const READYZ_OPERATION: Operation = {
  operationId: 'isReady',
  tag: 'Health',
  method: 'get',
  path: HEALTH_PATHS.ready,
  summary: 'Say whether requests may come',
  description:
    'For load balancers. Where callers are asked who they are, and where operators have a port of their own, the answer is brief: no `detail`, no `facts`.',
  parameters: [],
  response: { schema: 'Ready', description: 'Requests may come.' },
  examples: {
    ready: {
      summary: 'Ready',
      target: HEALTH_PATHS.ready,
      response: {
        status: 'ready',
        checks: {
          keys: { ok: true, detail: 'accounts: 5' },
          audit: { ok: true },
          selfTest: { ok: true },
          draining: { ok: true },
        },
        facts: {},
      } satisfies ReadinessResponse,
    },
  },
  refusals: ['NotReady'],
  isOpen: true,
};

/** `GET /openapi.json`. */
export const OPENAPI_OPERATION: Operation = {
  operationId: 'getApiDocument',
  tag: 'Documentation',
  method: 'get',
  path: DOCUMENT_PATHS.openApi,
  summary: 'The API as OpenAPI',
  description: 'The OpenAPI 3.1 document, with the limits of this service. Nobody is asked who he is.',
  parameters: [],
  response: { contentTypes: ['application/json'], schema: { type: 'object' }, description: 'OpenAPI 3.1.' },
  examples: {},
  refusals: [],
  isOpen: true,
};

/** `GET /docs`. */
export const DOCS_OPERATION: Operation = {
  operationId: 'getApiPage',
  tag: 'Documentation',
  method: 'get',
  path: DOCUMENT_PATHS.page,
  summary: 'The API as a page',
  description: 'For people: one file without scripts. Nobody is asked who he is.',
  parameters: [],
  response: { contentTypes: ['text/html'], schema: { type: 'string' }, description: 'HTML.' },
  examples: {},
  refusals: [],
  isOpen: true,
};
