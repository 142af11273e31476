import type { JsonObject, JsonValue } from '../../../../domain/model/json.ts';
import type { AnswerName, RequestName } from './components.ts';
import type { ParameterName } from './parameters.ts';
import type { RefusalName } from './refusal-schemas.ts';

/** A request that works, and what it is answered. */
export interface Example {
  readonly summary: string;
  /** Path and query, below the origin. */
  readonly target: string;
  /** Absent where the request has no body. */
  readonly body?: JsonObject;
  /** `data` of the answer; its text where the answer is no JSON in the envelope. */
  readonly answer: JsonValue;
}

/** Who an endpoint is for. */
export type Tag = 'Signing' | 'Accounts' | 'Operations' | 'Health' | 'Documentation';

/** What is published of an endpoint. */
export interface Operation {
  readonly operationId: string;
  readonly tag: Tag;
  readonly method: 'get' | 'post';
  /** In the form of OpenAPI: `/accounts/{accountId}`. */
  readonly path: string;
  readonly summary: string;
  /** Plain text; what stands between backticks is code, and an empty line begins a paragraph. */
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  /** Schema of the body; absent where none is read. */
  readonly request?: RequestName;
  /** The answer when it worked. */
  readonly answer: Answer;
  /** By name; the first is the one to try. */
  readonly examples: { readonly [name: string]: Example };
  /** What it may say no with, beside what every endpoint may. */
  readonly refusals: readonly RefusalName[];
  /** Whether nobody is asked who he is, nor counted. */
  readonly isOpen?: boolean;
}

/** JSON in the envelope, or something else. */
export type Answer =
  | { readonly schema: AnswerName; readonly description: string }
  | { readonly contentTypes: readonly string[]; readonly schema: JsonObject; readonly description: string };

/** What every endpoint may say no with, before it is looked at which. */
export const REFUSALS_OF_ALL: readonly RefusalName[] = [
  'InvalidDataFormat',
  'NetworkNotAllowed',
  'BrowserRequest',
  'RequestTimeout',
  'RequestTooLarge',
  'HeadersTooLarge',
  'InternalError',
];

/** What endpoints that ask callers who they are, and count them, may say no with. */
export const REFUSALS_AT_ENTRANCE: readonly RefusalName[] = [
  'ClientCertificateNotTaken',
  'Unauthenticated',
  'CallerRateLimited',
  'AuthenticationRateLimited',
  'ReplayGuardUnavailable',
  'Overloaded',
];

/** Everything that an endpoint may say no with. */
export function refusalsOf({ refusals, isOpen = false }: Operation): readonly RefusalName[] {
  return [...new Set([...REFUSALS_OF_ALL, ...(isOpen ? [] : REFUSALS_AT_ENTRANCE), ...refusals])];
}
