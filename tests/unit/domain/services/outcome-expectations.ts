import { expect } from 'chai';
import type { Outcome } from '../../../../src/domain/model/outcome.ts';
import type { Refusal } from '../../../../src/domain/model/refusal.ts';

/** What an outcome carries; fails when it is a refusal. */
export function acceptedValue<Value>(outcome: Outcome<Value>): Value {
  return outcome.ok ? outcome.value : expect.fail(`was refused with ${outcome.refusal.code}`);
}

/** The refusal that an outcome is; fails when it is none. */
export function refusalOf(outcome: Outcome<unknown>): Refusal {
  return outcome.ok ? expect.fail('was accepted') : outcome.refusal;
}
