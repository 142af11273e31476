import type { JsonObject } from '../../../../domain/model/json.ts';

/** Headers of answers, by the name of their component. */
export const ANSWER_HEADERS = {
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

/** See {@link ANSWER_HEADERS}. */
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** References to headers, as an answer has them. */
export function headerReferences(names: readonly AnswerHeader[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
