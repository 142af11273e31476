import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';

/** The part of JSON Schema that the page uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly 'x-extensible-enum'?: readonly JsonValue[];
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parameter or response header. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
}

/** A named example. */
export interface DisplayedExample {
  readonly summary: string;
  readonly value: JsonValue;
  /** HTTP status of an error. */
  readonly 'x-status'?: number;
}

interface Reference {
  readonly $ref: string;
}

interface Content {
  readonly [contentType: string]: {
    readonly schema: Schema;
    readonly examples?: { readonly [name: string]: DisplayedExample | Reference };
  };
}

/** A response of one status. */
export interface ResponseObject {
  readonly description: string;
  readonly content: Content;
}

/** An endpoint. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonObject[];
  readonly parameters: readonly Reference[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly [status: string]: ResponseObject | Reference };
}

/** The part of the OpenAPI document that the page uses. */
export interface ReadDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: OperationObject } };
  readonly components: {
    readonly schemas: { readonly [name: string]: Schema };
    readonly parameters: { readonly [name: string]: Parameter };
    readonly headers: { readonly [name: string]: { readonly description: string; readonly schema: Schema } };
    readonly responses: { readonly [name: string]: ResponseObject };
    readonly examples: { readonly [name: string]: DisplayedExample };
    readonly securitySchemes: {
      readonly [name: string]: { readonly type: string; readonly name?: string; readonly description: string };
    };
  };
}

/** An endpoint with its method and path, and its responses resolved. */
export interface Endpoint extends OperationObject {
  readonly method: string;
  readonly path: string;
  readonly responses: { readonly [status: string]: ResponseObject };
}

/** All endpoints, in document order. */
export function listEndpoints({ paths, components }: ReadDocument): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const responses = Object.entries(operation.responses).map(([status, response]) => [
        status,
        '$ref' in response ? components.responses[getComponentName(response.$ref)] : response,
      ]);
      return { ...operation, responses: Object.fromEntries(responses), method, path };
    }),
  );
}

/** The component name of a reference. */
export function getComponentName($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** Resolves a reference to a schema. */
export function resolveSchema(document: ReadDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[getComponentName(schema.$ref)] ?? {});
}

/** The parameters of an endpoint. */
export function listParameters(document: ReadDocument, { parameters }: OperationObject): readonly Parameter[] {
  return parameters.flatMap(({ $ref }) => document.components.parameters[getComponentName($ref)] ?? []);
}

/** Names of the refusals in a response, from its examples. */
export function getRefusalNames({ content }: ResponseObject): readonly string[] {
  return Object.keys(content['application/json']?.examples ?? {});
}
