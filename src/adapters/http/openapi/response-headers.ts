import type { JsonObject } from '../../../domain/model/json.ts';

/** Response headers by component name. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: 'Request ID in logs and audit records: that of the request, or a generated one.',
    schema: { type: 'string' },
  },
  'X-Correlation-Id': { description: 'Same as `X-Request-Id`.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before a retry of the same request.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'Methods that the path supports.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'Required authentication: `Signing-Request-Auth` or `TLS-Client-Certificate`.',
    schema: { type: 'string' },
  },
  'Signing-Response-Auth': {
    description:
      'With `SIGNING_AUTH`, in responses to authenticated requests: proof that the service sent this response.',
    schema: { type: 'string' },
  },
} as const satisfies { readonly [name: string]: JsonObject };

/** See {@link RESPONSE_HEADERS}. */
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** Headers of all responses. */
export const COMMON_RESPONSE_HEADERS: readonly ResponseHeader[] = [
  'X-Request-Id',
  'X-Correlation-Id',
  'Signing-Response-Auth',
];

/** References to response headers. */
export function headerReferences(names: readonly ResponseHeader[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
