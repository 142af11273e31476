import type { JsonObject } from '../../../domain/model/json.ts';

/** Response headers by component name. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': {
    description: "The call's name in logs and the audit record: the request's `X-Request-Id`, or one that was made.",
    schema: { type: 'string' },
  },
  'X-Correlation-Id': { description: 'The same as `X-Request-Id`.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'When to send the same request again, whole seconds.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods that the path takes.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: '`Signing-Request-Auth` or `TLS-Client-Certificate`: what is asked for.',
    schema: { type: 'string' },
  },
  'Signing-Response-Auth': {
    description: 'With `SIGNING_AUTH`, in answers to requests that passed: the proof that this is the answer.',
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
