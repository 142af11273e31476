import { ROUTES } from '../../route.ts';
import type { LivenessResponse, ReadinessResponse } from '../../schemas/status-responses.ts';
import type { Operation } from '../operation.ts';

/** Health and documentation, open to everyone. */
export const OPEN_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'isAlive',
    tag: 'Health',
    summary: 'Liveness',
    description: 'For orchestrators: the process is alive if it responds. No authentication.',
    parameters: [],
    response: { schema: 'Alive', description: 'The process is alive.' },
    examples: {
      alive: {
        summary: 'Alive',
        target: ROUTES.isAlive.path,
        response: { status: 'alive' } satisfies LivenessResponse,
      },
    },
  },
  {
    operationId: 'isReady',
    tag: 'Health',
    summary: 'Readiness',
    description:
      'For load balancers. No authentication. The response is brief, without `detail` and `facts`, if the service requires authentication of callers, and on the API port with `SIGNING_ADMIN_PORT`.',
    parameters: [],
    response: { schema: 'Ready', description: 'The service is ready for requests.' },
    examples: {
      ready: {
        summary: 'Ready',
        target: ROUTES.isReady.path,
        response: {
          status: 'ready',
          checks: {
            keys: { ok: true, detail: 'accounts: 5' },
            audit: { ok: true },
            selfTest: { ok: true },
            draining: { ok: true },
          },
          facts: {
            tls: null,
            config: { at: '2026-11-20T08:49:00.000Z', trigger: 'request', outcome: 'success', issues: [] },
            audit: {
              disk: { freeBytes: 50_000_000_000, state: 'ok', lowBytes: 1_073_741_824, criticalBytes: 16_777_216 },
            },
          },
        } satisfies ReadinessResponse,
      },
    },
  },
  {
    operationId: 'getApiDocument',
    tag: 'Documentation',
    summary: 'OpenAPI document',
    description: 'The OpenAPI 3.1 document with the limits of this service. No authentication.',
    parameters: [],
    response: {
      contentTypes: ['application/json'],
      schema: { type: 'object' },
      description: 'The OpenAPI 3.1 document.',
    },
    examples: {},
  },
  {
    operationId: 'getApiPage',
    tag: 'Documentation',
    summary: 'API documentation',
    description: 'This page: one HTML file without scripts. No authentication.',
    parameters: [],
    response: { contentTypes: ['text/html'], schema: { type: 'string' }, description: 'The HTML page.' },
    examples: {},
  },
];
