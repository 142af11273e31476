/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; its own enumerable properties are the members. */
export type JsonObject = { readonly [name: string]: JsonValue };
