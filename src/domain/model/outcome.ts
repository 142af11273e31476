import type { Refusal } from './refusal.ts';

/** The result of something that may be refused for a reason that is expected. Exceptions are for what is not. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

/** A success carrying `value`. */
export function accepted<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

/** A refusal, as an outcome of any value type. */
export function refused(refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal };
}
