import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { type RefusalName, refusalsOf } from '../refusals.ts';
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

/** All possible refusals of an endpoint, by scope. */
export function listRefusals({ operationId, request }: Operation): readonly RefusalName[] {
  const guarded = ['guarded', request === undefined ? 'withoutBody' : 'withBody'];
  return ['all', ...(ROUTES[operationId].operation === 'open' ? [] : guarded), operationId].flatMap(refusalsOf);
}
