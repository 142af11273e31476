import type { Refusal } from './refusal.ts';

/** A success: the value. */
export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** An expected "no": the reason. */
export interface Refused<Reason = Refusal> {
  readonly ok: false;
  readonly refusal: Reason;
}

/**
 * The result of something that may be refused for an expected reason. Exceptions are for unexpected
 * ones.
 */
export type Outcome<Value, Reason = Refusal> = Accepted<Value> | Refused<Reason>;

/** A success carrying `value`. */
export function accepted<Value>(value: Value): Accepted<Value> {
  return { ok: true, value };
}

/** A refusal, as an outcome of any value type. */
export function refused<Reason>(refusal: Reason): Refused<Reason> {
  return { ok: false, refusal };
}
