import type { JsonObject } from '../../../domain/model/json.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import { REFUSAL_NAMES, REFUSALS, type RefusalName, refuseRequest, toError, toHeaders } from '../refusals.ts';
import { schemaReference } from './components.ts';
import { listRefusals, type Operation } from './operation.ts';
import { COMMON_RESPONSE_HEADERS, headerReferences, type ResponseHeader } from './response-headers.ts';

/** An example of each refusal. */
const EXAMPLE_REFUSALS = Object.fromEntries(
  REFUSAL_NAMES.map((name) => [name, refuseRequest(name, REFUSALS[name].example as never)]),
) as { readonly [Name in RefusalName]: Refusal };

/** Examples by refusal name. */
export function refusalExamples(): JsonObject {
  return Object.fromEntries(
    REFUSAL_NAMES.map((name) => {
      const value = { success: false, error: toError(EXAMPLE_REFUSALS[name]) };
      const { when, status } = REFUSALS[name];
      return [name, { summary: when, value, 'x-status': status }];
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
  const statuses = [...new Set(names.map((name) => REFUSALS[name].status))];
  const groups = statuses.flatMap((status) => {
    const [first, ...others] = names.filter((name) => REFUSALS[name].status === status);
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
  const specific = names.flatMap((name) => Object.keys(toHeaders(EXAMPLE_REFUSALS[name])) as ResponseHeader[]);
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
  const { code, when } = REFUSALS[name];
  return `\`${code}\`: ${when}`;
}
