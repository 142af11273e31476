import { expect } from 'chai';
import type { ParsedRecord } from '../harness/verified-chain.ts';

/** Usage of one account in the accounts list. */
interface Usage {
  readonly totalSigns: number;
  readonly lastSignAt: string | null;
  readonly errorCount: number;
}

interface AccountsResponse {
  readonly accounts: readonly { readonly platformId: string; readonly accountId: string; readonly usage: Usage }[];
}

interface StatusResponse {
  readonly performance: { readonly totalSigns: number; readonly errorRate: number };
}

/**
 * Asserts that a service's counters, by account and in total, match its records. Without traffic,
 * and without unrecorded refusals since its start.
 */
export async function expectCounters(records: readonly ParsedRecord[], url: string): Promise<void> {
  const attempts = await expectAccounts(records, url);
  const { performance } = await get<StatusResponse>(`${url}/api/v1/status`);
  const { totalSigns, errorCount } = getUsage(attempts);
  expect(performance.totalSigns).to.equal(totalSigns);
  expect(performance.errorRate).to.be.closeTo(errorCount / attempts.length, 1e-9);
}

/**
 * Asserts that the counters of each account match the records; returns the counted records. Without
 * traffic.
 */
export async function expectAccounts(records: readonly ParsedRecord[], url: string): Promise<readonly ParsedRecord[]> {
  const attempts = records.filter(({ event, accountId }) => event === 'sign' && accountId !== null);
  const { accounts } = await get<AccountsResponse>(`${url}/api/v1/accounts`);
  expect(accounts).to.not.deep.equal([]);
  for (const { platformId, accountId, usage } of accounts) {
    const own = attempts.filter((record) => record.platformId === platformId && record.accountId === accountId);
    expect(usage, `${platformId} ${accountId}`).to.deep.equal(getUsage(own));
  }
  return attempts;
}

async function get<Data>(url: string): Promise<Data> {
  const response = await fetch(url);
  const { data } = (await response.json()) as { data: Data };
  return data;
}

function getUsage(attempts: readonly ParsedRecord[]): Usage {
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
