import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_EVENTS, type AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import {
  type AuditSinkHarness,
  describeAuditSinkContract,
  describeUnavailableAuditSinkContract,
} from '../../../../contracts/audit-sink-contract.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { SinkBench } from './sink-bench.ts';
import { systemError } from './system-error.ts';
import { type ParsedRecord, verifyChain } from './verified-chain.ts';

async function winstonHarness(isFull = false): Promise<AuditSinkHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-sink-'));
  const bench = new SinkBench(folder);
  const sink = await bench.open();
  if (isFull) {
    bench.calls.write = () => Promise.reject(systemError('ENOSPC', 'no space left on device, write'));
    await sink.append(sampleAuditEntry()).catch(() => undefined);
  }
  return {
    sink,
    usage: bench.usage,
    durableEntries: async () => entriesIn(folder),
    dispose: () => rm(folder, { recursive: true }),
  };
}

/** What callers appended, without the records that the file itself needs and the fields that place them in the chain. */
function entriesIn(folder: string): readonly AuditEntry[] {
  const events: readonly string[] = AUDIT_EVENTS;
  return verifyChain(folder)
    .records.filter(({ event }) => events.includes(event))
    .map(entryOf);
}

function entryOf({ v: _v, seq: _seq, prevHash: _prevHash, sig: _sig, ...entry }: ParsedRecord): AuditEntry {
  return entry as unknown as AuditEntry;
}

describeAuditSinkContract('WinstonAuditSink', () => winstonHarness());

describeUnavailableAuditSinkContract('WinstonAuditSink after a failed write', () => winstonHarness(true));
