import { type Finding, warning } from '../../adapters/machine/finding.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { WILDCARD } from '../../domain/model/text/wildcard-pattern.ts';
import { listNames } from '../settings/configuration-warnings.ts';

/** An unknown id in a list of the credentials file may be misspelt, and has no effect. */
export function findUnknownNames(
  list: 'permissions' | 'policies' | 'budgets',
  entries: readonly { readonly accounts?: readonly string[] | undefined }[],
  { accounts, platforms }: Pick<CredentialsContent, 'accounts' | 'platforms'>,
): readonly Finding[] {
  const platformIds = new Set(platforms.map(({ platformId }) => platformId));
  const names = new Set(accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
  const exists = (pattern: string) => {
    if (!pattern.includes(WILDCARD)) return names.has(pattern);
    const [platform = ''] = pattern.split('/');
    return platform.includes(WILDCARD) || platformIds.has(platform);
  };
  const paths = entries.flatMap(({ accounts: patterns = [] }, entry) =>
    patterns.flatMap((pattern, index) => (exists(pattern) ? [] : [`${list}[${entry}].accounts[${index}]`])),
  );
  return warnAbout(
    list,
    paths,
    'no such account or platform in the credentials file',
    'Check the spelling, or remove what is no longer needed.',
  );
}

/** One warning about all that are named; none without names. */
export function warnAbout(check: string, names: readonly string[], what: string, remedy: string): readonly Finding[] {
  return names.length === 0 ? [] : [warning(check, `${listNames(names)}: ${what}`, remedy)];
}
