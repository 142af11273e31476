import { readdirSync, renameSync, writeFileSync } from 'node:fs';
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
import { nodeCalls } from '../../../../doubles/file-calls.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import { DISK_FULL, SinkBench, useSinkBench } from '../sink-bench.ts';

async function winstonHarness(isFull = false): Promise<AuditSinkHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-sink-'));
  const bench = new SinkBench(folder);
  const sink = await bench.open();
  if (isFull) {
    bench.fail(DISK_FULL, 'write');
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
    .map(({ v: _v, seq: _seq, prevHash: _prevHash, sig: _sig, ...entry }) => entry as unknown as AuditEntry);
}

describeAuditSinkContract('WinstonAuditSink', () => winstonHarness());

describeUnavailableAuditSinkContract('WinstonAuditSink after a failed write', () => winstonHarness(true));

describe('The audit file', () => {
  const bench = useSinkBench();

  for (const isDamaged of [false, true]) {
    it(`reports ${isDamaged ? 'no complete chain after a failure' : 'a complete chain'} when it is closed`, async () => {
      const reported: boolean[] = [];
      await bench().open({ onClosed: async (isComplete) => void reported.push(isComplete) });
      await bench().append(2);
      if (isDamaged) writeFileSync(bench().file, 'other\n');
      await bench().append(1);
      await bench().close();
      expect(reported).to.deep.equal([!isDamaged]);
    });
  }

  it('reports that another program moves it while it is opened, and leaves nothing open', async () => {
    bench().calls.write = (file, bytes) => {
      renameSync(file.path, `${file.path}.moved`);
      return nodeCalls.write(file, bytes);
    };
    const descriptors = readdirSync('/proc/self/fd').length;
    expect(await bench().openError()).to.match(/^The audit file \S+ was moved by another program/);
    expect(readdirSync('/proc/self/fd')).to.have.length(descriptors);
  });
});
