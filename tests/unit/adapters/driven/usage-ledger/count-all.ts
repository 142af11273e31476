import { MemoryUsageLedger } from '../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type { CountedRecord } from '../../../../../src/ports/usage-ledger.ts';

/** A ledger that has counted these lines of an audit file, read as plain JSON. */
export function countAll(lines: readonly string[]): MemoryUsageLedger {
  const ledger = new MemoryUsageLedger();
  for (const line of lines) ledger.count(JSON.parse(line) as CountedRecord);
  return ledger;
}
