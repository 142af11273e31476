import { WildcardPattern } from '../../domain/model/text/wildcard-pattern.ts';

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

function matches(pattern: string, id: string | undefined): boolean {
  return id === undefined || new WildcardPattern(pattern).matches(id);
}
