import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ReachedRecord } from '../../../../../src/adapters/audit/file/file-tail.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { SinkBench, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** A chain with that many records behind its segment record. */
function createChain(records: number): AuditChain {
  const chain = new AuditChain();
  for (let count = 0; count < records; count += 1) chain.append(sampleAuditEntry());
  chain.sign();
  return chain;
}

describe('Starting without an audit file', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  const rotated = () => `${bench().file}.1`;

  async function firstRecord(reached: ReachedRecord | null = null) {
    await bench().open({ reached });
    return JSON.parse(readFileSync(bench().file, 'utf8').split('\n')[0] ?? '');
  }

  async function openError(reached: ReachedRecord | null): Promise<string> {
    const error = await bench()
      .open({ reached })
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AuditUnavailableError);
    return (error as Error).message;
  }

  it('ignores a service whose audit file has the same name with an extension', async () => {
    const other = new SinkBench(folder());
    await other.open({ file: join(folder(), 'audit.jsonl') });
    await other.append(3);
    await other.close();
    await bench().open({ file: join(folder(), 'audit') });
    const [first = ''] = readFileSync(join(folder(), 'audit'), 'utf8').split('\n');
    expect(JSON.parse(first)).to.deep.include({ seq: 1, prevHash: null });
  });

  it('never modifies a file that another process is writing', async () => {
    const other = new SinkBench(folder());
    await other.open({ file: rotated() });
    await other.append(3);
    // The lock file would exclude it by name.
    rmSync(`${rotated()}.lock`);
    const truncated = `${readFileSync(rotated(), 'utf8')}{"v":2,"seq":5,"ti`;
    writeFileSync(rotated(), truncated);
    expect(await firstRecord()).to.deep.include({ seq: 1, prevHash: null });
    expect(readFileSync(rotated(), 'utf8')).to.equal(truncated);
    writeFileSync(rotated(), truncated.slice(0, truncated.lastIndexOf('\n') + 1));
    await other.close();
  });

  it('continues after the file with the known record, even next to a longer chain', async () => {
    const own = createChain(3);
    writeFileSync(rotated(), own.text());
    writeFileSync(`${bench().file}.2`, createChain(9).text());
    expect(await firstRecord({ ...own.head, closed: true })).to.deep.include({ seq: 5, prevHash: own.head.hash });
  });

  it('continues after files later than the one with the known record', async () => {
    const chain = createChain(3);
    const known = chain.head;
    chain.append(sampleAuditEntry());
    chain.beginSegment('size');
    chain.append(sampleAuditEntry());
    chain.sign();
    for (const index of [0, 1]) writeFileSync(`${bench().file}.${2 - index}`, chain.text(index));
    const reached = { ...known, closed: false };
    expect(await firstRecord(reached)).to.deep.include({ seq: chain.head.seq + 1, prevHash: chain.head.hash });
  });

  it('rejects a longer foreign chain when its own known record is missing', async () => {
    const own = createChain(3);
    writeFileSync(rotated(), createChain(9).text());
    expect(await openError({ ...own.head, closed: false })).to.include('.usage');
    expect(readFileSync(rotated(), 'utf8').trimEnd().split('\n')).to.have.length(10);
  });
});
