import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { type RefusalName, refusalsAt } from '../refusals.ts';
import type { RequestName, ResponseName } from './components.ts';
import type { ParameterName } from './parameters.ts';

/** A successful request and its response. */
export interface Example {
  readonly summary: string;
  /** Path and query. */
  readonly target: string;
  /** Absent without a body. */
  readonly body?: JsonObject;
  /** `data` of the response, or its text if that is not a JSON envelope. */
  readonly response: JsonValue;
}

/** Groups of endpoints. */
export type Tag = 'Signing' | 'Accounts' | 'Operations' | 'Health' | 'Documentation';

/** A published endpoint. */
export interface Operation {
  readonly operationId: string;
  readonly tag: Tag;
  readonly method: 'get' | 'post';
  /** An OpenAPI path template: `/accounts/{accountId}`. */
  readonly path: string;
  readonly summary: string;
  /** Plain text with code in backticks and blank lines between paragraphs. */
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  /** Schema of the body, if any. */
  readonly request?: RequestName;
  /** The response on success. */
  readonly response: OperationResponse;
  /** By name, the simplest first. */
  readonly examples: { readonly [name: string]: Example };
  /** Without authentication and rate limit. */
  readonly isOpen?: boolean;
}

/** A JSON envelope, or other content. */
export type OperationResponse =
  | { readonly schema: ResponseName; readonly description: string }
  | { readonly contentTypes: readonly string[]; readonly schema: JsonObject; readonly description: string };

/** Possible refusals of every endpoint. */
const COMMON_REFUSALS: readonly RefusalName[] = [
  'InvalidDataFormat',
  'NetworkNotAllowed',
  'BrowserRequest',
  'RequestTimeout',
  'RequestTooLarge',
  'HeadersTooLarge',
  'InternalError',
];

/** Possible refusals of guarded endpoints. */
const GUARD_REFUSALS: readonly RefusalName[] = [
  'ClientCertificateNotTaken',
  'Unauthenticated',
  'CallerRateLimited',
  'AuthenticationRateLimited',
  'ReplayGuardUnavailable',
  'Overloaded',
];

const BODY_REFUSALS: readonly RefusalName[] = ['UnsupportedMediaType'];

/** All possible refusals of an endpoint. */
export function listRefusals({ operationId, request, isOpen = false }: Operation): readonly RefusalName[] {
  const guards = isOpen ? [] : GUARD_REFUSALS;
  return [...COMMON_REFUSALS, ...guards, ...(request === undefined ? [] : BODY_REFUSALS), ...refusalsAt(operationId)];
}
