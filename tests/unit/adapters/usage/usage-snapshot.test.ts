import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { readSnapshot, SnapshotWriter } from '../../../../src/adapters/usage/usage-snapshot.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { useAuditFile } from './usage-samples.ts';

const HASH = `sha256:${'0a'.repeat(32)}`;

// tests/unit/adapters/files/replace-file.test.ts covers errors and kills in the middle of a write.
describe('A usage snapshot', () => {
  const auditFile = useAuditFile();
  let ledger: MemoryUsageLedger;
  let log: RecordingServiceLog;
  let seq: number;
  let writer: SnapshotWriter;
  const file = () => `${auditFile()}.usage`;
  const read = () => readSnapshot(auditFile(), log);

  beforeEach(() => {
    ledger = new MemoryUsageLedger();
    log = new RecordingServiceLog();
    seq = 0;
    const head = () => ({ seq, hash: seq === 0 ? null : HASH });
    writer = new SnapshotWriter({ auditFile: auditFile(), ledger, head, clock: new FixedClock(), log });
  });

  /** What a sink does with each durable record. */
  function record(times: number, accounts = 1): void {
    for (let i = 0; i < times; i += 1) {
      seq += 1;
      ledger.count(sampleAuditEntry({ accountId: `a${i % accounts}` }));
    }
  }

  it('is JSON next to the audit file, for its owner only', async () => {
    record(2);
    expect(await writer.save(true)).to.equal(true);
    expect(readdirSync(dirname(auditFile()))).to.deep.equal(['audit.jsonl.usage']);
    expect(statSync(file()).mode & 0o7777).to.equal(0o600);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.deep.equal({
      ...{ version: 1, seq: 2, hash: HASH, closed: true, savedAt: '2026-11-20T08:49:00.000Z' },
      totals: { totalSigns: 2, errorCount: 0 },
      accounts: [['alpha', 'a0', 2, sampleAuditEntry().time, 0]],
    });
  });

  it('restores any number of accounts', async () => {
    expect(await read()).to.equal(null);
    for (const accounts of [0, 1, 999, 1000, 1001, 2500]) {
      record(accounts, accounts);
      await writer.save();
      expect(await read()).to.deep.equal({
        head: { seq, hash: seq === 0 ? null : HASH },
        closed: false,
        state: ledger.state(),
      });
    }
    expect(log.events).to.deep.equal([]);
  });

  it('yields while it is written', async () => {
    record(10_000, 10_000);
    let turns = 0;
    let isWriting = true;
    const takeTurn = () => {
      turns += 1;
      if (isWriting) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    await writer.save();
    isWriting = false;
    expect(turns).to.be.at.least(10);
  });

  it('is of the moment at which it is written, one at a time; the last one counts', async () => {
    record(1);
    const first = writer.save();
    record(1);
    await nextTurn();
    record(1);
    await Promise.all([first, writer.save(), writer.save(true)]);
    expect(await read()).to.deep.include({ closed: true, state: ledger.state() });
  });

  it('is due 100,000 records after the last one', async () => {
    record(7);
    await writer.save();
    for (const [records, saved] of [
      [99_999, 7],
      [1, 100_007],
      [99_999, 100_007],
      [1, 200_007],
    ] as const) {
      record(records);
      writer.saveIfDue();
      writer.saveIfDue();
      if (records === 1) while ((await read())?.head.seq !== seq) await nextTurn();
      expect((await read())?.head.seq).to.equal(saved);
    }
  });

  it('that cannot be written is logged, and the next one is written', async () => {
    mkdirSync(file());
    record(1);
    expect(await writer.save()).to.equal(false);
    expect(log.events).to.have.length(1);
    expect(log.events[0]).to.deep.include({ level: 'error' });
    expect(log.events[0]?.facts['file']).to.equal(`${auditFile()}.usage`);
    rmSync(file(), { recursive: true });
    expect(await writer.save()).to.equal(true);
  });

  describe('is rebuilt, with a warning', () => {
    const expectUnusable = async (issue: string, what: string) => {
      expect(await read(), what).to.equal(null);
      const message = `The snapshot of the usage counters ${issue}. Recounting from the audit records.`;
      expect(log.events.splice(0), what).to.deep.equal([{ level: 'warn', message, facts: { file: file() } }]);
    };

    it('with other fields or values', async () => {
      record(4, 2);
      await writer.save();
      const whole = JSON.parse(readFileSync(file(), 'utf8')) as { readonly accounts: unknown[][] };
      const { accounts } = whole;
      for (const damaged of [
        [],
        { ...whole, closed: undefined },
        { ...whole, extra: 1 },
        { ...whole, version: 2 },
        { ...whole, seq: -1 },
        { ...whole, hash: 'sha256:0a' },
        { ...whole, accounts: accounts.map((account) => account.slice(0, 4)) },
        { ...whole, accounts: accounts.map(([, ...rest]) => ['a/b', ...rest]) },
      ]) {
        writeFileSync(file(), JSON.stringify(damaged));
        await expectUnusable('is corrupt', JSON.stringify(damaged));
      }
    });

    it('truncated anywhere', async () => {
      record(4, 4);
      await writer.save();
      const whole = readFileSync(file(), 'utf8');
      for (let length = 0; length < whole.trimEnd().length; length += 23) {
        writeFileSync(file(), whole.slice(0, length));
        await expectUnusable('is corrupt', `${length} characters`);
      }
    });

    it('as a pipe, without blocking; as a link, without following it', async () => {
      execFileSync('mkfifo', [file()]);
      await expectUnusable('cannot be read (EINVAL)', 'pipe');
      rmSync(file());
      symlinkSync('elsewhere', file());
      await expectUnusable('cannot be read (ELOOP)', 'link');
    });
  });
});
