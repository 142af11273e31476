import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type RefusalName, refusalsOf } from '../../src/adapters/http/refusals.ts';
import { ROUTES } from '../../src/adapters/http/route.ts';

/** In Markdown. */
interface Described {
  readonly description: string;
}

/** An operation of the API. */
export interface Operation extends Described {
  readonly tag: string;
  readonly summary: string;
  /** Names of {@link ApiSource.parameters}. */
  readonly parameters?: readonly string[];
  /** Name of the schema of the body. */
  readonly request?: string;
  /** The schema of `data` by name, or that of other content. */
  readonly response: Described & { readonly schema: string | object; readonly contentTypes?: readonly string[] };
  /** By name, the simplest first: path and query, body and `data` of the response. */
  readonly examples?: { readonly [name: string]: Example };
}

interface Example {
  readonly summary: string;
  readonly target: string;
  readonly body?: object;
  readonly response: object;
}

/** A parameter of operations. */
export interface Parameter extends Described {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
}

/** An operation's id. */
export type OperationId = keyof typeof ROUTES;

/** What people wrote about the API: besides operations, members of an OpenAPI document. */
export interface ApiSource {
  readonly info: Described & { readonly title: string; readonly version: string; readonly summary: string };
  readonly tags: readonly (Described & { readonly name: string })[];
  readonly operations: { readonly [Id in OperationId]?: Operation };
  readonly parameters: { readonly [name: string]: Parameter };
  readonly headers: { readonly [name: string]: Described };
  readonly securitySchemes: { readonly [name: string]: Described & { readonly type: string; readonly name?: string } };
}

/** api.yaml. */
export const API: ApiSource = parse(readFileSync(new URL('api.yaml', import.meta.url), 'utf8'));

/** The operations, in the order of the document. */
export const OPERATIONS = Object.entries(API.operations) as readonly (readonly [id: OperationId, Operation])[];

/** Method and path of an operation, with parameters in braces. */
export function getEndpoint(id: OperationId): { readonly method: string; readonly path: string } {
  const { method, path } = ROUTES[id];
  return { method, path: path.replace(/:(\w+)/g, '{$1}') };
}

/** All possible refusals of an operation, by scope. */
export function listRefusals(id: OperationId, { request }: Operation): readonly RefusalName[] {
  const guarded = ['guarded', request === undefined ? 'withoutBody' : 'withBody'];
  return ['all', ...(ROUTES[id].operation === 'open' ? [] : guarded), id].flatMap(refusalsOf);
}
