import type { PayloadRule } from '../../../domain/model/payload-rule.ts';
import { type RequestPlaceholder, templateTokens } from '../../../domain/payload/template.ts';
import type { CredentialFault } from './credential-fault.ts';

/** Options of rule `prehash` that say how a placeholder is filled, each with the placeholders that it can be. */
const PLACEHOLDERS_OF = {
  timestamp: ['timestamp'],
  query: ['query', '?query'],
  body: ['body'],
  bodyHash: ['body'],
} as const satisfies { readonly [option: string]: readonly RequestPlaceholder[] };

/**
 * Options of a payload rule for a placeholder that its templates do not have: whoever set one believes that something is signed which is not.
 * Paths begin at the platform.
 */
export function idleOptionFaults(rule: PayloadRule): readonly CredentialFault[] {
  if (rule.rule === 'query')
    return idle(rule, ['timestamp'], [rule.prefix ?? '', rule.suffix ?? ''], 'prefix or suffix');
  if (rule.rule === 'prehash')
    return idle(rule, ['timestamp', 'query', 'body', 'bodyHash'], [rule.template], 'template');
  return [];
}

function idle(
  rule: PayloadRule,
  options: readonly (keyof typeof PLACEHOLDERS_OF)[],
  templates: readonly string[],
  place: string,
): readonly CredentialFault[] {
  const tokens = templates.flatMap(templateTokens);
  const stands = (name: RequestPlaceholder): boolean =>
    tokens.some((token) => token.kind === 'request' && token.name === name);
  return options
    .filter((option) => Object.hasOwn(rule, option) && !PLACEHOLDERS_OF[option].some(stands))
    .map((option) => ({
      path: ['payload', option],
      message: `has no effect without ${PLACEHOLDERS_OF[option].map((name) => `{${name}}`).join(' or ')} in ${place}; remove it, or put the placeholder there`,
    }));
}
