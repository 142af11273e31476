import type { JsonObject } from '../../../../domain/model/json.ts';
import { STATUS_OF_CODE } from '../http-refusal.ts';
import { type AnswerHeader, headerReferences } from './answer-headers.ts';
import { schemaReference } from './components.ts';
import { type Operation, refusalsOf } from './operation.ts';
import { DOCUMENTED_REFUSALS } from './refusal-examples.ts';
import { REFUSAL_NAMES, type RefusalName } from './refusal-schemas.ts';

const HEADERS_OF_REFUSALS: { readonly [Name in RefusalName]?: AnswerHeader } = {
  ClientCertificateNotTaken: 'WWW-Authenticate',
  Unauthenticated: 'WWW-Authenticate',
  CallerRateLimited: 'Retry-After',
  AccountRateLimited: 'Retry-After',
  AuthenticationRateLimited: 'Retry-After',
  Overloaded: 'Retry-After',
  ReplayGuardUnavailable: 'Retry-After',
  MethodNotAllowed: 'Allow',
};

/** Headers that any answer may have. */
export const HEADERS_OF_ANSWERS: readonly AnswerHeader[] = [
  'X-Request-Id',
  'X-Correlation-Id',
  'Signing-Response-Auth',
];

/** The HTTP status of a refusal. */
export function statusOf(name: RefusalName): number {
  return STATUS_OF_CODE[DOCUMENTED_REFUSALS[name].example.code];
}

/** One of each refusal, as it is sent. */
export function refusalExamples(): JsonObject {
  return Object.fromEntries(
    REFUSAL_NAMES.map((name) => {
      const { when, example } = DOCUMENTED_REFUSALS[name];
      const { code, message, details } = example;
      return [
        name,
        { summary: when, value: { success: false, error: { code, message, details } }, 'x-status': statusOf(name) },
      ];
    }),
  );
}

/** Refusals that are answered together: under one status, to one endpoint. */
export type RefusalGroup = readonly [RefusalName, ...RefusalName[]];

/** What is answered where no endpoint takes the request. */
export const UNROUTED_REFUSALS: RefusalGroup = ['NotFound', 'MethodNotAllowed'];

/** What an endpoint may say no with, by status, and what is said where the method or the path is none. */
export function refusalGroups(operation: Operation): readonly RefusalGroup[] {
  const names = refusalsOf(operation);
  const statuses = [...new Set(names.map(statusOf))];
  const groups = statuses.flatMap((status) => {
    const [first, ...others] = names.filter((name) => statusOf(name) === status);
    return first === undefined ? [] : [[first, ...others] as const];
  });
  return [...groups, UNROUTED_REFUSALS];
}

/** The answers of these groups, each once. */
export function refusalResponses(groups: readonly RefusalGroup[]): JsonObject {
  return Object.fromEntries(groups.map((names) => [responseName(names), refusalObject(names)]));
}

/** Where the answer of a group stands. */
export function responseReference(names: RefusalGroup): JsonObject {
  return { $ref: `#/components/responses/${responseName(names)}` };
}

function responseName(names: RefusalGroup): string {
  return names.join('-');
}

/** The answers of one status: each of these refusals in the error envelope. */
function refusalObject(names: RefusalGroup): JsonObject {
  const [error = {}, ...others] = names.map(schemaReference);
  const own = names.flatMap((name) => HEADERS_OF_REFUSALS[name] ?? []);
  return {
    description: names.map(sentenceOf).join('\n\n'),
    headers: headerReferences([...new Set([...HEADERS_OF_ANSWERS, ...own])]),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            success: { type: 'boolean', const: false },
            error: others.length === 0 ? error : { anyOf: [error, ...others] },
          },
          required: ['success', 'error'],
        },
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

function sentenceOf(name: RefusalName): string {
  const { when, example } = DOCUMENTED_REFUSALS[name];
  return `\`${example.code}\`: ${when}`;
}
