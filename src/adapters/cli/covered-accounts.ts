import { toAccountName } from '../../domain/model/account.ts';
import { AccountSelection } from '../../domain/model/permissions.ts';
import type { PolicyEntry } from '../../domain/model/policy.ts';
import { WildcardPattern } from '../../domain/model/text/wildcard-pattern.ts';
import { listSome } from '../../domain/model/text/wording.ts';
import type { CredentialListing } from '../../ports/credential-editor.ts';

/** An entry that names accounts by `platformId/accountId` patterns. */
interface Covering {
  readonly accounts?: readonly string[] | undefined;
}

/** Whether an entry covers such an account; undefined is any. */
export function covers({ accounts = [] }: Covering, platform: string | undefined, account?: string): boolean {
  return accounts.some((pattern) => {
    const [ofPlatform = '', ofAccount = ''] = pattern.split('/');
    return matches(ofPlatform, platform) && matches(ofAccount, account);
  });
}

/** Warnings about patterns that no platform of the configuration matches. */
export function warnUnknown(
  patterns: readonly string[],
  { platforms }: Pick<CredentialListing, 'platforms'>,
): readonly string[] {
  const unknown = patterns.filter((pattern) =>
    platforms.every(({ platformId }) => !covers({ accounts: [pattern] }, platformId)),
  );
  return unknown.map((pattern) => `the credentials file has no platform for ${pattern}; check the spelling`);
}

/** Warnings about accounts that a change leaves with less protection by enforced policies. */
export function warnUncovered(before: CredentialListing, after: CredentialListing): readonly string[] {
  const lost = (isGuard: (entry: PolicyEntry) => boolean) => {
    const [had, has] = [before, after].map(
      ({ policies }) =>
        new AccountSelection(
          policies.filter((one) => one.mode !== 'audit' && isGuard(one)).flatMap((one) => one.accounts),
        ),
    ) as [AccountSelection, AccountSelection];
    return after.accounts.filter(
      ({ platformId, accountId }) => had.includes(platformId, accountId) && !has.includes(platformId, accountId),
    );
  };
  const bare = lost(() => true);
  const open = lost(({ effect }) => effect === 'allow').filter((account) => !bare.includes(account));
  return [
    ...warnAbout(bare, 'no enforced policy covers', 'so callers that may use them may sign anything, also withdrawals'),
    ...warnAbout(open, 'no enforced allow policy covers', 'so they sign everything that no policy denies'),
  ];
}

function warnAbout(accounts: CredentialListing['accounts'], what: string, effect: string): readonly string[] {
  return accounts.length === 0 ? [] : [`${what} ${listSome(accounts, toAccountName)} any more, ${effect}`];
}

function matches(pattern: string, id: string | undefined): boolean {
  return id === undefined || new WildcardPattern(pattern).matches(id);
}
