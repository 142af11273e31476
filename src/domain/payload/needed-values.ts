import type { PayloadRule } from '../model/payload-rule.ts';
import { templateTokens } from './template.ts';

/**
 * Names of the fixed values that a rule takes: each NAME of an `{account.NAME}` in its templates, once, in the order of the templates. A value of
 * another name has no effect.
 *
 * @param rule one whose templates have no issue (`findTemplateIssue`, `findAffixIssue`)
 * @example namedValues({ rule: 'prehash', template: '{timestamp}{account.apiKey}{account.recvWindow}{body}', values: { recvWindow: '5000' } })
 * // ['apiKey', 'recvWindow']
 */
export function namedValues(rule: PayloadRule): readonly string[] {
  const names = templatesOf(rule)
    .flatMap(templateTokens)
    .flatMap((token) => (token.kind === 'account' ? [token.name] : []));
  return [...new Set(names)];
}

/**
 * Names of the fixed values that an account must have so that a rule can sign for it: those of {@link namedValues} for which the rule has no value
 * itself.
 *
 * @param rule one whose templates have no issue (`findTemplateIssue`, `findAffixIssue`)
 * @example neededValues({ rule: 'prehash', template: '{timestamp}{account.apiKey}{account.recvWindow}{body}', values: { recvWindow: '5000' } })
 * // ['apiKey']
 */
export function neededValues(rule: PayloadRule): readonly string[] {
  const given = rule.rule === 'prehash' ? (rule.values ?? {}) : {};
  return namedValues(rule).filter((name) => !Object.hasOwn(given, name));
}

function templatesOf(rule: PayloadRule): readonly string[] {
  if (rule.rule === 'prehash') return [rule.template];
  if (rule.rule === 'query') return [rule.prefix ?? '', rule.suffix ?? ''];
  return [];
}
