import type { TimeSlice } from '../flow/time-slice.ts';
import type { AccountProfile } from '../model/account.ts';
import { AccountSelection } from '../model/permissions.ts';
import type { PolicyEntry } from '../model/policy.ts';

/** The policies or budgets that name none of these accounts, in their order. */
export async function findUnusedPolicies<Entry extends Pick<PolicyEntry, 'accounts'>>(
  policies: readonly Entry[],
  accounts: readonly Pick<AccountProfile, 'platformId' | 'accountId'>[],
  slice: TimeSlice,
): Promise<readonly Entry[]> {
  const unused = new Map(policies.map((policy) => [policy, new AccountSelection(policy.accounts)]));
  if (unused.size === 0) return [];
  await slice.forEach(accounts, ({ platformId, accountId }) => {
    for (const [policy, selection] of unused) if (selection.includes(platformId, accountId)) unused.delete(policy);
  });
  return [...unused.keys()];
}
