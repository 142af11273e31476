import { expect } from 'chai';
import type { Recorded } from './recorded-chain.ts';

/** What the accounts list says of one account. */
interface Usage {
  readonly totalSigns: number;
  readonly lastSignAt: string | null;
  readonly errorCount: number;
}

interface AccountsAnswer {
  readonly accounts: readonly { readonly platformId: string; readonly accountId: string; readonly usage: Usage }[];
}

interface StatusAnswer {
  readonly performance: { readonly totalSigns: number; readonly errorRate: number };
}

/**
 * That the counters of a running service, of each account and in total, are those of the records. Nobody may be signing, and since its start nothing may have been
 * refused for want of a record.
 */
export async function expectCountersOf(records: readonly Recorded[], url: string): Promise<void> {
  const attempts = await expectAccountsOf(records, url);
  const { performance } = await get<StatusAnswer>(`${url}/api/v1/status`);
  const { totalSigns, errorCount } = usageOf(attempts);
  expect(performance.totalSigns).to.equal(totalSigns);
  expect(performance.errorRate).to.be.closeTo(errorCount / attempts.length, 1e-9);
}

/** That the counters of each account are those of the records; gives the records that count. Nobody may be signing. */
export async function expectAccountsOf(records: readonly Recorded[], url: string): Promise<readonly Recorded[]> {
  const attempts = records.filter(({ event, accountId }) => event === 'sign' && accountId !== null);
  const { accounts } = await get<AccountsAnswer>(`${url}/api/v1/accounts`);
  expect(accounts).to.not.deep.equal([]);
  for (const { platformId, accountId, usage } of accounts) {
    const own = attempts.filter((record) => record.platformId === platformId && record.accountId === accountId);
    expect(usage, `${platformId} ${accountId}`).to.deep.equal(usageOf(own));
  }
  return attempts;
}

async function get<Data>(url: string): Promise<Data> {
  const answer = await fetch(url);
  const { data } = (await answer.json()) as { data: Data };
  return data;
}

function usageOf(attempts: readonly Recorded[]): Usage {
  const signed = attempts.filter(({ outcome }) => outcome === 'success');
  return {
    totalSigns: signed.length,
    lastSignAt:
      signed
        .map(({ time }) => time)
        .sort()
        .at(-1) ?? null,
    errorCount: attempts.length - signed.length,
  };
}
