import type { UsageSnapshot } from '../../../../../src/adapters/driven/usage-ledger/snapshot-text.ts';

/** A snapshot of so many accounts on three platforms, each used a little differently. */
export function sampleSnapshot(accounts: number, seq = 1000): UsageSnapshot {
  const platforms = ['alpha', 'beta', 'gamma'].map((platformId, platform) => {
    const numbers = Array.from({ length: accounts }, (_, index) => index).filter((index) => index % 3 === platform);
    return {
      platformId,
      accountIds: numbers.map((index) => `account-${index}`),
      usages: numbers.map((index) => ({
        totalSigns: index,
        lastSignAt: index === 0 ? null : '2026-11-20T08:49:00.123Z',
        errorCount: index % 5,
      })),
    };
  });
  const usages = platforms.flatMap((platform) => platform.usages);
  const totals = {
    totalSigns: usages.reduce((sum, { totalSigns }) => sum + totalSigns, 0),
    errorCount: usages.reduce((sum, { errorCount }) => sum + errorCount, 17),
  };
  return {
    head: { seq, hash: `sha256:${'0a'.repeat(32)}` },
    size: 700_000,
    closed: false,
    savedAt: '2026-11-20T08:50:00.000Z',
    state: { totals, platforms: platforms.filter(({ accountIds }) => accountIds.length > 0) },
  };
}
