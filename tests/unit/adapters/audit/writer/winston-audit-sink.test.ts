import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AUDIT_EVENTS, type AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import {
  type AuditSinkHarness,
  describeAuditSinkContract,
  describeUnavailableAuditSinkContract,
} from '../../../../contracts/audit-sink-contract.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { type ParsedRecord, verifyChain } from '../../../../harness/verified-chain.ts';
import { SinkBench, systemError, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

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

/** The appended entries, without segment records and chain fields. */
function entriesIn(folder: string): readonly AuditEntry[] {
  const events: readonly string[] = AUDIT_EVENTS;
  return verifyChain(folder)
    .records.filter(({ event }) => events.includes(event))
    .map(toEntry);
}

function toEntry({ v: _v, seq: _seq, prevHash: _prevHash, sig: _sig, ...entry }: ParsedRecord): AuditEntry {
  return entry as unknown as AuditEntry;
}

describeAuditSinkContract('WinstonAuditSink', () => winstonHarness());

describeUnavailableAuditSinkContract('WinstonAuditSink after a failed write', () => winstonHarness(true));

describe('Closing the audit file', () => {
  const bench = useSinkBench(useTemporaryFolder());
  let complete: boolean[];

  beforeEach(async () => {
    complete = [];
    await bench().open({
      onClosed: async (isComplete) => {
        complete.push(isComplete);
      },
    });
  });

  it('does not report a complete chain after a failure', async () => {
    await bench().append(2);
    writeFileSync(bench().file, 'other\n');
    await bench().append(1);
    await bench().close();
    expect(complete).to.deep.equal([false]);
  });
});
