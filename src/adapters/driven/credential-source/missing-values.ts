import type { FixedValues } from '../../../domain/model/fixed-values.ts';
import type { PayloadRule } from '../../../domain/model/payload-rule.ts';
import { neededValues } from '../../../domain/payload/needed-values.ts';

/** Names of the fixed values that a payload rule takes from accounts, without those that this account has. */
export function missingValues(rule: PayloadRule, values: FixedValues = {}): readonly string[] {
  return neededValues(rule).filter((name) => !Object.hasOwn(values, name));
}
