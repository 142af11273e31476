import { type AccountProfile, toAccountName } from '../../domain/model/account.ts';
import type { PayloadRule } from '../../domain/model/payload.ts';
import type { NamedRule, Platform } from '../../domain/model/platform.ts';
import { listSome } from '../../domain/model/text/wording.ts';
import type { CredentialListing } from '../../ports/credential-editor.ts';
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

/**
 * Warns if a new account shares its key: disabling one account leaves the others active, and with
 * another algorithm a signature for one purpose could serve the other.
 * @param others accounts that existed before
 */
export function accountWarnings(
  { publicKey, algorithm }: Pick<AccountProfile, 'publicKey' | 'algorithm'>,
  others: readonly Omit<CredentialListing['accounts'][number], 'key'>[],
): readonly string[] {
  const shared = others.filter((other) => other.publicKey === publicKey);
  const [twins, foreign] = [
    shared.filter((other) => other.algorithm === algorithm),
    shared.filter((other) => other.algorithm !== algorithm),
  ].map((accounts) => listSome(accounts, nameWithAlgorithm));
  return [
    ...(foreign
      ? [`its key is also used by ${foreign} and now serves two purposes; use a separate key for each algorithm`]
      : []),
    ...(twins
      ? [`its key is also used by ${twins}; if it leaks, disable all of them with account disable --same-key`]
      : []),
  ];
}

/** An account in a warning. */
export function nameWithAlgorithm(account: Pick<AccountProfile, 'platformId' | 'accountId' | 'algorithm'>): string {
  return `${toAccountName(account)} (${account.algorithm})`;
}

/** One line for each warning. */
export function formatWarnings(warnings: readonly string[], terminal: TerminalStyle): string {
  return warnings.map((warning) => `${styled(terminal, 'yellow', 'warning:')} ${warning}.\n`).join('');
}
