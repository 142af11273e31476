import type { RuleIssue } from './rule-module.ts';
import { parseTemplate, type RequestPlaceholder } from './template.ts';

/** Placeholders that options fill. */
const PLACEHOLDERS_OF_OPTION = {
  timestamp: ['timestamp'],
  path: ['path'],
  query: ['query', '?query'],
  body: ['body'],
  bodyHash: ['body'],
} as const satisfies { readonly [option: string]: readonly RequestPlaceholder[] };

/**
 * Options without effect: their author expects something to be signed that is not.
 *
 * @param location of the templates, for messages
 */
export function findUnusedOptions(
  rule: object,
  options: readonly (keyof typeof PLACEHOLDERS_OF_OPTION)[],
  templates: readonly string[],
  location: string,
): readonly RuleIssue[] {
  const tokens = templates.flatMap(parseTemplate);
  const isUsed = (name: RequestPlaceholder): boolean =>
    tokens.some((token) => token.kind === 'request' && token.name === name);
  return options
    .filter((option) => Object.hasOwn(rule, option) && !PLACEHOLDERS_OF_OPTION[option].some(isUsed))
    .map((option) => ({
      path: [option],
      message: `has no effect without ${PLACEHOLDERS_OF_OPTION[option].map((name) => `{${name}}`).join(' or ')} in ${location}; remove it, or add the placeholder`,
    }));
}
