import type { JsonObject } from '../../../domain/model/json.ts';
import { STATUS_OF_CODE } from '../http-refusal.ts';
import { REFUSAL_NAMES, type RefusalName, schemaReference } from './components.ts';
import { listRefusals, type Operation } from './operation.ts';
import { DOCUMENTED_REFUSALS } from './refusal-examples.ts';
import { COMMON_RESPONSE_HEADERS, headerReferences, type ResponseHeader } from './response-headers.ts';

const HEADERS_OF_REFUSALS: { readonly [Name in RefusalName]?: ResponseHeader } = {
  ClientCertificateNotTaken: 'WWW-Authenticate',
  Unauthenticated: 'WWW-Authenticate',
  CallerRateLimited: 'Retry-After',
  AccountRateLimited: 'Retry-After',
  AuthenticationRateLimited: 'Retry-After',
  Overloaded: 'Retry-After',
  ReplayGuardUnavailable: 'Retry-After',
  MethodNotAllowed: 'Allow',
};

/** The HTTP status of a refusal. */
export function getRefusalStatus(name: RefusalName): number {
  return STATUS_OF_CODE[DOCUMENTED_REFUSALS[name].example.code];
}

/** Examples by refusal name. */
export function refusalExamples(): JsonObject {
  return Object.fromEntries(
    REFUSAL_NAMES.map((name) => {
      const { when, example } = DOCUMENTED_REFUSALS[name];
      const { code, message, details } = example;
      return [
        name,
        {
          summary: when,
          value: { success: false, error: { code, message, details } },
          'x-status': getRefusalStatus(name),
        },
      ];
    }),
  );
}

/** Refusals of one endpoint with the same status. */
export type RefusalGroup = readonly [RefusalName, ...RefusalName[]];

/** For unknown paths and methods. */
export const UNROUTED_REFUSALS: RefusalGroup = ['NotFound', 'MethodNotAllowed'];

/** An endpoint's refusals by status, then those of unknown paths and methods. */
export function refusalGroups(operation: Operation): readonly RefusalGroup[] {
  const names = listRefusals(operation);
  const statuses = [...new Set(names.map(getRefusalStatus))];
  const groups = statuses.flatMap((status) => {
    const [first, ...others] = names.filter((name) => getRefusalStatus(name) === status);
    return first === undefined ? [] : [[first, ...others] as const];
  });
  return [...groups, UNROUTED_REFUSALS];
}

/** Response components, one per group. */
export function refusalResponses(groups: readonly RefusalGroup[]): JsonObject {
  return Object.fromEntries(groups.map((names) => [responseName(names), errorResponse(names)]));
}

/** A reference to the response of a group. */
export function responseReference(names: RefusalGroup): JsonObject {
  return { $ref: `#/components/responses/${responseName(names)}` };
}

function responseName(names: RefusalGroup): string {
  return names.join('-');
}

/** A response object: any of these refusals in the error envelope. */
function errorResponse(names: RefusalGroup): JsonObject {
  const [error = {}, ...others] = names.map(schemaReference);
  const specific = names.flatMap((name) => HEADERS_OF_REFUSALS[name] ?? []);
  return {
    description: names.map(formatSummary).join('\n\n'),
    headers: headerReferences([...new Set([...COMMON_RESPONSE_HEADERS, ...specific])]),
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

function formatSummary(name: RefusalName): string {
  const { when, example } = DOCUMENTED_REFUSALS[name];
  return `\`${example.code}\`: ${when}`;
}
