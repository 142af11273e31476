import type { PolicyLanguage } from '../../ports/policy-language.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { describeAffected, limitIssues } from '../model/account-issues.ts';
import type { Issue } from '../model/errors.ts';
import type { SignedFields } from '../model/payload.ts';
import { listRules, type Platform } from '../model/platform.ts';
import { type BudgetEntry, NO_POLICIES, type Policies, type PolicyEntry } from '../model/policy.ts';
import { accepted, type Outcome, refused } from '../model/refusal.ts';
import { WildcardPattern } from '../model/text/wildcard-pattern.ts';
import { CompiledPolicies } from '../policy/compiled-policies.ts';
import { ALL_SIGNED_FIELDS, mergeSignedFields } from '../policy/signed-reader.ts';

/**
 * Compiles policies and budgets for every platform that their accounts may be of, and reports all
 * that cannot be decided there; where there is no such platform, what is wrong on any. The language
 * is loaded only if there are any.
 */
export class PolicyCompiler {
  readonly #loadLanguage: () => Promise<PolicyLanguage>;

  constructor(loadLanguage: () => Promise<PolicyLanguage>) {
    this.#loadLanguage = loadLanguage;
  }

  /** The issues' paths are those of the configuration: `policies[2].when`, `budgets[0].sum`. */
  async compile(
    entries: readonly PolicyEntry[],
    platforms: readonly Platform[],
    slice: TimeSlice,
    budgets: readonly BudgetEntry[] = [],
  ): Promise<Outcome<Policies, readonly Issue[]>> {
    if (entries.length === 0 && budgets.length === 0) return accepted(NO_POLICIES);
    const language = await this.#loadLanguage();
    const issues: Issue[] = [];
    const compileAll = async <Entry extends Named, Expression>(
      list: readonly Entry[],
      toPath: (index: number) => string,
      compile: (entry: Entry, fields: SignedFields) => Outcome<Expression, string>,
    ): Promise<ReadonlyMap<Entry, ReadonlyMap<string, Expression>>> => {
      const compiled = new Map<Entry, ReadonlyMap<string, Expression>>();
      await slice.forEach(list.entries(), ([index, entry]) => {
        const expressions = new Map<string, Expression>();
        const selected = selectPlatforms(entry, platforms);
        if (selected.length === 0) {
          const expression = compile(entry, ALL_SIGNED_FIELDS);
          if (!expression.ok) issues.push(toIssue(toPath(index), entry.name, expression.refusal));
        }
        const failed = new Map<string, string[]>();
        for (const platform of selected) {
          const expression = compile(entry, mergeSignedFields(listRules(platform)));
          if (expression.ok) expressions.set(platform.platformId, expression.value);
          else failed.set(expression.refusal, [...(failed.get(expression.refusal) ?? []), platform.platformId]);
        }
        for (const [reason, platformIds] of failed) {
          const counts = { count: platformIds.length, total: selected.length };
          const affected = describeAffected('platform', platformIds, counts);
          issues.push(toIssue(toPath(index), `${entry.name}, for ${affected}`, reason));
        }
        compiled.set(entry, expressions);
      });
      return compiled;
    };
    const conditions = await compileAll(
      entries,
      (index) => `policies[${index}].when`,
      ({ when }, fields) => language.compile(when, fields),
    );
    const sums = await compileAll(
      budgets,
      (index) => `budgets[${index}].sum`,
      ({ sum }, fields) => language.compileAmount(sum, fields),
    );
    if (issues.length > 0) return refused(limitIssues(issues));
    return accepted(
      new CompiledPolicies(
        Array.from(conditions, ([entry, byPlatform]) => ({ entry, conditions: byPlatform })),
        Array.from(sums, ([entry, byPlatform]) => ({ entry, sums: byPlatform })),
      ),
    );
  }
}

/** A policy or budget. */
type Named = Pick<PolicyEntry, 'name' | 'accounts'>;

function selectPlatforms({ accounts }: Named, platforms: readonly Platform[]): readonly Platform[] {
  const patterns = accounts.map((account) => new WildcardPattern(account.slice(0, account.indexOf('/'))));
  return platforms.filter(({ platformId }) => patterns.some((pattern) => pattern.matches(platformId)));
}

function toIssue(path: string, place: string, reason: string): Issue {
  return { path, message: `(${place}) ${reason}` };
}
