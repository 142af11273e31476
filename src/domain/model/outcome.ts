import type { Refusal } from './refusal.ts';

/** A success. */
export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** An expected failure and its reason. */
export interface Refused<Reason = Refusal> {
  readonly ok: false;
  readonly refusal: Reason;
}

/** The result of what may be refused for an expected reason; exceptions are for unexpected ones. */
export type Outcome<Value, Reason = Refusal> = Accepted<Value> | Refused<Reason>;

/** A success. */
export function accepted<Value>(value: Value): Accepted<Value> {
  return { ok: true, value };
}

/** A refusal, as an outcome of any value type. */
export function refused<Reason>(refusal: Reason): Refused<Reason> {
  return { ok: false, refusal };
}
