import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { type RefusalName, refusalsAt } from '../refusals.ts';
import { ROUTES } from '../route.ts';
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
  /** Selects its row of the route table. */
  readonly operationId: keyof typeof ROUTES;
  readonly tag: Tag;
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

/** All possible refusals of an endpoint. The permission to sign and verify is checked by item. */
export function listRefusals({ operationId, request }: Operation): readonly RefusalName[] {
  const names = [...COMMON_REFUSALS];
  if (ROUTES[operationId].operation !== 'open') {
    names.push(...GUARD_REFUSALS, request === undefined ? 'PermissionDenied' : 'UnsupportedMediaType');
  }
  return [...names, ...refusalsAt(operationId)];
}
