import { expect } from 'chai';
import type { Outcome, Refusal } from '../../../../src/domain/model/refusal.ts';

/** The value of an outcome; fails for a refusal. */
export function acceptedValue<Value>(outcome: Outcome<Value>): Value {
  return outcome.ok ? outcome.value : expect.fail(`was refused with ${outcome.refusal.code}`);
}

/** The refusal of an outcome; fails for a value. */
export function refusalOf(outcome: Outcome<unknown>): Refusal {
  return outcome.ok ? expect.fail('was accepted') : outcome.refusal;
}

/** What a promise rejects with; fails when it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('should have been rejected'),
    (error: unknown) => error,
  );
}
