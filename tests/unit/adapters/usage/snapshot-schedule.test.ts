import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { SNAPSHOT_RECORDS, SnapshotSchedule } from '../../../../src/adapters/usage/snapshot-schedule.ts';
import { readSnapshot, snapshotPath, writeSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import type { AuditHead } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { sampleSnapshot, useAuditFile } from './usage-samples.ts';

describe('SnapshotSchedule', () => {
  const auditFile = useAuditFile();
  const original = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval };
  let clock: FixedClock;
  let ledger: MemoryUsageLedger;
  let log: RecordingServiceLog;
  let head: AuditHead;
  let schedule: SnapshotSchedule;
  let checks: Set<() => void>;
  /** Snapshots begun. */
  let states: number;

  class CountingLedger extends MemoryUsageLedger {
    override state() {
      states += 1;
      return super.state();
    }
  }

  beforeEach(() => {
    states = 0;
    clock = new FixedClock();
    ledger = new CountingLedger();
    log = new RecordingServiceLog();
    head = { seq: 0, hash: null };
    checks = new Set();
    Object.assign(globalThis, {
      setInterval: (check: () => void) => {
        checks.add(check);
        return { check, unref: () => ({ check }) };
      },
      clearInterval: (timer?: { check: () => void }) => timer && checks.delete(timer.check),
    });
    schedule = new SnapshotSchedule({
      auditFile: auditFile(),
      ledger,
      head: () => head,
      clock,
      log,
    });
  });
  afterEach(async () => {
    Object.assign(globalThis, original);
    await schedule.stop(true);
  });

  /** What a sink does with each durable record. */
  function record(times = 1): void {
    for (let i = 0; i < times; i += 1) {
      head = { seq: head.seq + 1, hash: `sha256:${String(head.seq + 1).padStart(64, '0')}` };
      ledger.count(sampleAuditEntry());
    }
  }

  /** Advances by some seconds; resolves once a snapshot may have begun. */
  async function pass(): Promise<void> {
    for (const check of checks) check();
    await nextTurn();
  }

  /** Resolves when the current write is done. */
  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await nextTurn();
  }

  const isSaved = (seq: number) => {
    const file = snapshotPath(auditFile());
    return existsSync(file) && readFileSync(file, 'utf8').includes(`"seq":${seq},`);
  };

  async function saved() {
    const snapshot = await readSnapshot(auditFile());
    if (snapshot === null) return null;
    if ('issue' in snapshot) throw new Error(snapshot.issue);
    return { seq: snapshot.head.seq, signs: snapshot.state.totals.totalSigns, closed: snapshot.closed };
  }

  it('writes a snapshot after every 100,000 records', async () => {
    expect(SNAPSHOT_RECORDS).to.equal(100_000);
    record(7);
    await schedule.start({ ...sampleSnapshot(0, 7), closed: false });
    record(99_999);
    await pass();
    expect(states).to.equal(0);
    record();
    await pass();
    await until(() => isSaved(100_007));
    expect(await saved()).to.deep.equal({ seq: 100_007, signs: 100_007, closed: false });
    record(99_999);
    await pass();
    expect(states).to.equal(1);
    record(5);
    await pass();
    await until(() => isSaved(200_011));
    expect(await saved()).to.deep.equal({ seq: 200_011, signs: 200_011, closed: false });
  });

  it('replaces a snapshot that ends the chain before the start completes', async () => {
    record(3);
    await writeSnapshot(auditFile(), { ...sampleSnapshot(0), head, closed: true });
    const newest = await readSnapshot(auditFile());
    if (newest === null || 'issue' in newest) throw new Error('no snapshot');
    await schedule.start(newest);
    expect(await saved()).to.deep.equal({ seq: 3, signs: 3, closed: false });
  });

  it('writes one on request, with the time and the state at the head', async () => {
    await schedule.start(null);
    record(5);
    const written = schedule.save();
    await nextTurn();
    record(5);
    expect(await written).to.equal(true);
    expect(await saved()).to.deep.equal({ seq: 5, signs: 5, closed: false });
    expect(JSON.parse(readFileSync(snapshotPath(auditFile()), 'utf8'))).to.include({
      savedAt: '2026-11-20T08:49:00.000Z',
      hash: head.hash?.replace('10', '05'),
    });
  });

  it('writes one at a time, and one more for all requests meanwhile', async () => {
    await schedule.start(null);
    record();
    const first = schedule.save();
    await nextTurn();
    record();
    await Promise.all([first, schedule.save(), schedule.save(), schedule.save()]);
    expect(states).to.equal(2);
    expect(await saved()).to.deep.include({ seq: 2 });
    expect(log.events).to.deep.equal([]);
  });

  it('writes a last one on stop, after pending requests, that ends the chain', async () => {
    await schedule.start(null);
    record(2);
    const pending = schedule.save();
    record(3);
    await Promise.all([schedule.stop(true), schedule.stop(true)]);
    await pending;
    expect(await saved()).to.deep.equal({ seq: 5, signs: 5, closed: true });
    expect(checks.size).to.equal(0);
    const written = states;
    await Promise.all([schedule.save(), schedule.stop(true)]);
    expect(states, 'none after that').to.equal(written);
  });

  it('does not end the chain on stop when that is uncertain', async () => {
    await schedule.start(null);
    record(2);
    await schedule.stop(false);
    expect(await saved()).to.deep.equal({ seq: 2, signs: 2, closed: false });
  });

  it('does not start if a snapshot that ends the chain cannot be replaced', async () => {
    mkdirSync(snapshotPath(auditFile()));
    const error = await schedule.start({ ...sampleSnapshot(0, 7), closed: true }).then(
      () => expect.fail('should have rejected'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(AuditUnavailableError);
    expect(String(error)).to.include(snapshotPath(auditFile()));
  });

  it('logs a failed write, throws nothing, and writes the next one', async () => {
    await schedule.start(null);
    mkdirSync(snapshotPath(auditFile()));
    record(100_000);
    await pass();
    await until(() => log.events.length > 0);
    await pass();
    expect(states, 'not again with every look').to.equal(1);
    expect(log.events[0]).to.deep.include({ level: 'error' });
    expect(log.events[0]?.facts['file']).to.equal(`${auditFile()}.usage`);
    expect(log.events[0]?.facts['cause']).to.be.instanceOf(Error);
    expect(await schedule.save()).to.equal(false);
    expect(log.events, 'at most once a minute').to.have.length(1);
    log.flush();
    expect(log.events.map(({ facts }) => facts['count'])).to.deep.equal([1, 1]);
    rmSync(snapshotPath(auditFile()), { recursive: true });
    await schedule.stop(true);
    expect(await saved()).to.deep.include({ seq: 100_000, closed: true });
    expect(log.events).to.have.length(2);
  });
});
