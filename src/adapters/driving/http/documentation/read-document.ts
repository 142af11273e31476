import type { JsonObject, JsonValue } from '../../../../domain/model/json.ts';

/** A JSON Schema, as far as the page reads it. */
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

/** A parameter, or a header of an answer. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
}

/** A named example. */
export interface ShownExample {
  readonly summary: string;
  readonly value: JsonValue;
  /** Of an error: the HTTP status with which it is sent. */
  readonly 'x-status'?: number;
}

interface Reference {
  readonly $ref: string;
}

interface Content {
  readonly [contentType: string]: {
    readonly schema: Schema;
    readonly examples?: { readonly [name: string]: ShownExample | Reference };
  };
}

/** An answer of one status. */
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

/** The OpenAPI document, as far as the page reads it. */
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
    readonly examples: { readonly [name: string]: ShownExample };
    readonly securitySchemes: {
      readonly [name: string]: { readonly type: string; readonly name?: string; readonly description: string };
    };
  };
}

/** An endpoint with its place, and with its answers in it. */
export interface Endpoint extends OperationObject {
  readonly method: string;
  readonly path: string;
  readonly responses: { readonly [status: string]: ResponseObject };
}

/** The endpoints in the order of the document. */
export function endpointsOf({ paths, components }: ReadDocument): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const responses = Object.entries(operation.responses).map(([status, response]) => [
        status,
        '$ref' in response ? components.responses[nameOf(response.$ref)] : response,
      ]);
      return { ...operation, responses: Object.fromEntries(responses), method, path };
    }),
  );
}

/** The last step of a reference: the component's name. */
export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** A schema itself, where a reference to it may stand. */
export function schemaOf(document: ReadDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {});
}

/** The parameters of an endpoint. */
export function parametersOf(document: ReadDocument, { parameters }: OperationObject): readonly Parameter[] {
  return parameters.flatMap(({ $ref }) => document.components.parameters[nameOf($ref)] ?? []);
}

/** Names of the refusals that an answer may hold: those of its examples. */
export function refusalNamesOf({ content }: ResponseObject): readonly string[] {
  return Object.keys(content['application/json']?.examples ?? {});
}
