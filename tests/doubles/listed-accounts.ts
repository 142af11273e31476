import type { AccountList, AccountService } from '../../src/domain/services/account-service.ts';

const profile = { accountId: 'a', platformId: 'alpha', alias: 'a', status: 'active', environment: 'production' };
const usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** A list of `length` accounts; over a thousand it is sent in slices. */
export function listedAccounts(length: number): Pick<AccountService, 'list' | 'find'> {
  const slice = async (from: number, to: number) =>
    Array.from({ length: Math.min(to, length) - from }, () => ({ profile, usage }));
  return { list: () => ({ length, slice }) as unknown as AccountList, find: undefined as never };
}
