import type { PayloadRule, PayloadRuleName } from './payload-rule.ts';
import { DEFAULT_RULE_OPTIONS } from './platform-defaults.ts';

/** A payload rule as configuration writes it: its name, and those of its options that are not its defaults. */
export interface WrittenRule {
  readonly rule: PayloadRuleName;
}

/**
 * The payload rule that a written one means, the options that it leaves out filled in. Its options are taken as they are: the configuration's schema is what
 * checks them.
 */
export function completeRule(written: WrittenRule): PayloadRule {
  const given = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_RULE_OPTIONS[written.rule], ...given } as PayloadRule;
}
