import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import type { CountedRecord } from '../../../../src/ports/usage-ledger.ts';

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
