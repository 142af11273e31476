import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import type { UsageSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import type { CountedRecord } from '../../../../src/ports/usage-ledger.ts';

/** A snapshot of accounts on three platforms, with various counters. */
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
    closed: false,
    savedAt: '2026-11-20T08:50:00.000Z',
    state: { totals, platforms: platforms.filter(({ accountIds }) => accountIds.length > 0) },
  };
}

/** A ledger that counted these lines of an audit file. */
export function countAll(lines: readonly string[]): MemoryUsageLedger {
  const ledger = new MemoryUsageLedger();
  for (const line of lines) ledger.count(JSON.parse(line) as CountedRecord);
  return ledger;
}

/** Gives each test the path of an audit file in an empty folder. */
export function useAuditFile(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'usage-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return () => join(folder, 'audit.jsonl');
}
