import type { PolicyLanguage } from '../../ports/policy-language.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { listRules, type Platform } from '../model/platform.ts';
import { type Condition, NO_POLICIES, type Policies, type PolicyEntry } from '../model/policy.ts';
import type { Issue } from '../model/refusal.ts';
import { WildcardPattern } from '../model/text/wildcard-pattern.ts';
import { CompiledPolicies, type CompiledPolicy } from '../policy/compiled-policies.ts';
import { ALL_SIGNED_FIELDS, mergeSignedFields } from '../policy/signed-reader.ts';

/**
 * Compiles policies for every platform that their accounts may be of, and reports all that can't be
 * decided there; where there is no such platform, what is wrong on any. The language is loaded only if there are policies.
 */
export class PolicyCompiler {
  readonly #loadLanguage: () => Promise<PolicyLanguage>;

  constructor(loadLanguage: () => Promise<PolicyLanguage>) {
    this.#loadLanguage = loadLanguage;
  }

  /** The issues' paths are those of the configuration: `policies[2].when`. */
  async compile(
    entries: readonly PolicyEntry[],
    platforms: readonly Platform[],
    slice: TimeSlice,
  ): Promise<Outcome<Policies, readonly Issue[]>> {
    if (entries.length === 0) return accepted(NO_POLICIES);
    const language = await this.#loadLanguage();
    const compiled: CompiledPolicy[] = [];
    const issues: Issue[] = [];
    await slice.forEach(entries.entries(), ([index, entry]) => {
      const conditions = new Map<string, Condition>();
      const selected = selectPlatforms(entry, platforms);
      if (selected.length === 0) {
        const condition = language.compile(entry.when, ALL_SIGNED_FIELDS);
        if (!condition.ok) issues.push(toIssue(index, entry.name, condition.refusal));
      }
      for (const platform of selected) {
        const condition = language.compile(entry.when, mergeSignedFields(listRules(platform)));
        if (condition.ok) conditions.set(platform.platformId, condition.value);
        else issues.push(toIssue(index, `${entry.name}, for platform ${platform.platformId}`, condition.refusal));
      }
      compiled.push({ entry, conditions });
    });
    return issues.length === 0 ? accepted(new CompiledPolicies(compiled)) : refused(issues);
  }
}

function selectPlatforms({ accounts }: PolicyEntry, platforms: readonly Platform[]): readonly Platform[] {
  const patterns = accounts.map((account) => new WildcardPattern(account.slice(0, account.indexOf('/'))));
  return platforms.filter(({ platformId }) => patterns.some((pattern) => pattern.matches(platformId)));
}

function toIssue(index: number, policy: string, reason: string): Issue {
  return { path: `policies[${index}].when`, message: `(${policy}) ${reason}` };
}
