import type { SignedFields } from '../domain/model/payload.ts';
import type { Amount, Condition } from '../domain/model/policy.ts';
import type { Outcome } from '../domain/model/refusal.ts';

/**
 * The language of policies: the Common Expression Language (https://cel.dev).
 *
 * An adapter MUST type-check a condition against the fields when it compiles it, MUST compute
 * decimals exactly, MUST bound the time of an evaluation, and MUST NOT generate code.
 */
export interface PolicyLanguage {
  /**
   * Compiles a condition on what a platform signs.
   * @returns refused with the reason, a clause such as "does not compile: …"
   */
  compile(expression: string, fields: SignedFields): Outcome<Condition, string>;

  /**
   * Compiles the sum of a budget: an expression whose type is decimal or int.
   * @returns refused as {@link compile} does
   */
  compileAmount(expression: string, fields: SignedFields): Outcome<Amount, string>;
}
