import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ReachedRecord } from '../../../../../src/adapters/driven/audit-sink/chain-end.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { SinkBench, useSinkBench } from './sink-bench.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

/** Text of a chain of so many records behind its segment. */
function chainOf(records: number): AuditChain {
  const chain = new AuditChain();
  for (let count = 0; count < records; count += 1) chain.append(sampleAuditEntry());
  chain.sign();
  return chain;
}

describe('Starting where the audit file is missing', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  const rotated = () => `${bench().file}.1`;

  async function firstRecord(reached: ReachedRecord | null = null) {
    await bench().open({ reached });
    return JSON.parse(readFileSync(bench().file, 'utf8').split('\n')[0] ?? '');
  }

  async function openFault(reached: ReachedRecord | null): Promise<string> {
    return bench()
      .open({ reached })
      .then(
        () => expect.fail('should have rejected'),
        (error: unknown) => {
          expect(error).to.be.instanceOf(AuditUnavailableError);
          return (error as Error).message;
        },
      );
  }

  it('never takes up the chain of another service beside it', async () => {
    writeFileSync(join(folder(), 'audit-2.jsonl'), chainOf(5).text());
    writeFileSync(join(folder(), 'audit-2.000000000001-000000000006.jsonl'), chainOf(5).text());
    expect(await firstRecord()).to.deep.include({ seq: 1, prevHash: null });
  });

  it('never takes up the chain of a service whose audit file has its name and an extension', async () => {
    const other = new SinkBench(folder());
    await other.open({ file: join(folder(), 'audit.jsonl') });
    await other.append(3);
    await other.close();
    await bench().open({ file: join(folder(), 'audit') });
    const [first = ''] = readFileSync(join(folder(), 'audit'), 'utf8').split('\n');
    expect(JSON.parse(first)).to.deep.include({ seq: 1, prevHash: null });
  });

  it('never touches a file that another process writes, whatever its name', async () => {
    const other = new SinkBench(folder());
    await other.open({ file: rotated() });
    await other.append(3);
    const torn = `${readFileSync(rotated(), 'utf8')}{"v":2,"seq":5,"ti`;
    writeFileSync(rotated(), torn);
    expect(await firstRecord()).to.deep.include({ seq: 1, prevHash: null });
    expect(readFileSync(rotated(), 'utf8')).to.equal(torn);
    writeFileSync(rotated(), torn.slice(0, torn.lastIndexOf('\n') + 1));
    await other.close();
  });

  it('goes on behind the file that holds the record that is known, though another chain beside it is longer', async () => {
    const own = chainOf(3);
    writeFileSync(rotated(), own.text());
    writeFileSync(`${bench().file}.2`, chainOf(9).text());
    expect(await firstRecord({ ...own.head, closed: true })).to.deep.include({ seq: 5, prevHash: own.head.hash });
  });

  it('goes on behind later files than the one that holds the record that is known', async () => {
    const chain = chainOf(3);
    const known = chain.head;
    chain.append(sampleAuditEntry());
    chain.beginSegment('size');
    chain.append(sampleAuditEntry());
    chain.sign();
    for (const index of [0, 1]) writeFileSync(`${bench().file}.${2 - index}`, chain.text(index));
    const reached = { ...known, closed: false };
    expect(await firstRecord(reached)).to.deep.include({ seq: chain.head.seq + 1, prevHash: chain.head.hash });
  });

  it('refuses a longer chain of others when a record of its own is known and is not there', async () => {
    const own = chainOf(3);
    writeFileSync(rotated(), chainOf(9).text());
    expect(await openFault({ ...own.head, closed: false })).to.include('.usage');
    expect(readFileSync(rotated(), 'utf8').trimEnd().split('\n')).to.have.length(10);
  });

  it('refuses a file that has another record in the place of the last one that is known', async () => {
    writeFileSync(bench().file, chainOf(3).text());
    expect(await openFault({ ...chainOf(3).head, closed: true })).to.include('was replaced');
  });

  it('says so in file and log when it goes on behind a record that it knows of by heart alone', async () => {
    const own = chainOf(3);
    const record = await firstRecord({ ...own.head, closed: true });
    expect(record).to.deep.include({ seq: 5, prevHash: own.head.hash });
    expect(record.data.reason).to.equal('missing');
    expect(bench().log.events.filter(({ level }) => level === 'warn')).to.have.length(1);
  });
});

describe('Closing the audit file', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  let complete: boolean[];

  beforeEach(async () => {
    complete = [];
    await bench().open({
      onClosed: async (isComplete) => {
        complete.push(isComplete);
      },
    });
  });

  it('writes all that waits, however much it is', async () => {
    const appended = bench().append(5000);
    await bench().close();
    expect(await appended).to.deep.equal([]);
    bench().verifyExactly();
    expect(complete).to.deep.equal([true]);
  });

  it('does not say that the chain ended where it did not end in order', async () => {
    await bench().append(2);
    writeFileSync(bench().file, 'other\n');
    await bench().append(1);
    await bench().close();
    expect(complete).to.deep.equal([false]);
  });
});
