/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; its own enumerable properties are the members. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** The members that are not undefined. */
export function withoutUndefined<Value>(members: { readonly [name: string]: Value | undefined }) {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, Value] => member[1] !== undefined),
  );
}

/** Makes arrays and members read-only, as in the domain. */
export type Immutable<Type> = { readonly [Name in keyof Type]: ImmutableMember<Type[Name]> };
type ImmutableMember<Member> = Member extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : Member extends object
    ? Immutable<Member>
    : Member;
