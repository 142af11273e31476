import type { PayloadRule } from '../../domain/model/payload.ts';
import type { NamedRule, Platform } from '../../domain/model/platform.ts';
import { styled, type TerminalStyle } from './terminal/style.ts';

/** Warnings about a new platform. */
export function platformWarnings({ payload, rules = {}, algorithms }: Platform): readonly string[] {
  return [
    ...unpinnedWarnings(payload, '--payload ', 'payload'),
    ...Object.entries(rules).flatMap(([name, rule]) => [
      ...unpinnedWarnings(rule, `--add-rule ${name}=`, `rules.${name}`),
      ...otherAlgorithmWarnings(name, rule, algorithms),
    ]),
  ];
}

/** @param path of the rule in the platform's entry */
function unpinnedWarnings(rule: PayloadRule, option: string, path: string): readonly string[] {
  if (rule.rule !== 'typed-data' || rule['domain'] !== undefined) return [];
  return [
    'its accounts sign typed data for every contract, including token permits, for every permitted caller; ' +
      `pin the domain with ${option}'{"rule":"typed-data","domain":{…}}', or set ${path}.domain in the credentials file`,
  ];
}

function otherAlgorithmWarnings(
  name: string,
  { algorithm }: NamedRule,
  algorithms: Platform['algorithms'],
): readonly string[] {
  if (algorithm === undefined || algorithms.includes(algorithm)) return [];
  return [
    `rule ${name} signs ${algorithm}, and every caller that may sign with an account of this platform may use it: ` +
      `one key then serves ${algorithms.join(', ')} and ${algorithm}; remove the rule if that is not intended`,
  ];
}

/** One line for each warning. */
export function formatWarnings(warnings: readonly string[], terminal: TerminalStyle): string {
  return warnings.map((warning) => `${styled(terminal, 'yellow', 'warning:')} ${warning}.\n`).join('');
}
