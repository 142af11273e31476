import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { MemoryUsageLedger } from '../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import {
  SNAPSHOT_RECORDS,
  SnapshotSchedule,
} from '../../../../../src/adapters/driven/usage-ledger/snapshot-schedule.ts';
import {
  readSnapshot,
  snapshotPath,
  writeSnapshot,
} from '../../../../../src/adapters/driven/usage-ledger/usage-snapshot.ts';
import type { ChainHead } from '../../../../../src/audit-trail/audit-record.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { sampleSnapshot } from './sample-snapshot.ts';
import { useAuditFile } from './temporary-audit-file.ts';

describe('SnapshotSchedule', () => {
  const auditFile = useAuditFile();
  const original = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval };
  let ledger: MemoryUsageLedger;
  let log: RecordingServiceLog;
  let head: ChainHead;
  let schedule: SnapshotSchedule;
  let looks: Set<() => void>;
  /** Snapshots that were begun. */
  let states: number;

  class CountingLedger extends MemoryUsageLedger {
    override state() {
      states += 1;
      return super.state();
    }
  }

  beforeEach(() => {
    states = 0;
    ledger = new CountingLedger();
    log = new RecordingServiceLog();
    head = { seq: 0, hash: null };
    looks = new Set();
    Object.assign(globalThis, {
      setInterval: (look: () => void) => {
        looks.add(look);
        return { look, unref: () => ({ look }) };
      },
      clearInterval: (timer?: { look: () => void }) => timer && looks.delete(timer.look),
    });
    schedule = new SnapshotSchedule({
      auditFile: auditFile(),
      ledger,
      head: () => head,
      size: () => head.seq * 600,
      clock: new FixedClock(),
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

  /** Some seconds go by; resolves when it is decided whether a snapshot is written. */
  async function pass(): Promise<void> {
    for (const look of looks) look();
    await nextTurn();
  }

  /** Resolves when what is being written is done; the test's timeout is its end. */
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
    if ('fault' in snapshot) throw new Error(snapshot.fault);
    return { seq: snapshot.head.seq, signs: snapshot.state.totals.totalSigns, closed: snapshot.closed };
  }

  it('writes a snapshot after every 100,000 records since the last one', async () => {
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

  it('writes one soon after a start that had to count very many records', async () => {
    record(100_000);
    await schedule.start(null);
    await pass();
    await until(() => isSaved(100_000));
    expect(states).to.equal(1);
  });

  it('keeps no process alive', async () => {
    let isHeld = true;
    Object.assign(globalThis, {
      setInterval: () => ({
        unref: () => {
          isHeld = false;
        },
      }),
    });
    await schedule.start(null);
    expect(isHeld).to.equal(false);
  });

  it('no longer says that the chain ends with the snapshot before a start is over', async () => {
    record(3);
    await writeSnapshot(auditFile(), { ...sampleSnapshot(0), head, closed: true });
    const newest = await readSnapshot(auditFile());
    if (newest === null || 'fault' in newest) throw new Error('no snapshot');
    await schedule.start(newest);
    expect(await saved()).to.deep.equal({ seq: 3, signs: 3, closed: false });
  });

  it('replaces one that can not be used before a start is over', async () => {
    await writeSnapshot(auditFile(), { ...sampleSnapshot(0), closed: true });
    record(3);
    await schedule.start(null);
    expect(await saved()).to.deep.equal({ seq: 3, signs: 3, closed: false });
  });

  it('does not start beside a folder in its place', async () => {
    mkdirSync(snapshotPath(auditFile()));
    const error = await schedule.start(null).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AuditUnavailableError);
  });

  it('writes one when told, with the time, and what the ledger says at its head', async () => {
    await schedule.start(null);
    record(5);
    const written = schedule.save();
    await nextTurn();
    record(5);
    await written;
    expect(await saved()).to.deep.equal({ seq: 5, signs: 5, closed: false });
    expect(JSON.parse(readFileSync(snapshotPath(auditFile()), 'utf8'))).to.include({
      savedAt: '2026-11-20T08:49:00.000Z',
      hash: head.hash?.replace('10', '05'),
    });
  });

  it('writes one at a time, and one more for everything that was asked for meanwhile', async () => {
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

  it('writes a last one at the stop, behind those that were asked for, that says that the chain ends there', async () => {
    await schedule.start(null);
    record(2);
    const asked = schedule.save();
    record(3);
    await Promise.all([schedule.stop(true), schedule.stop(true)]);
    await asked;
    expect(await saved()).to.deep.equal({ seq: 5, signs: 5, closed: true });
    expect(looks.size).to.equal(0);
  });

  it('writes none after the stop', async () => {
    await schedule.start(null);
    record(2);
    await schedule.stop(true);
    await Promise.all([schedule.save(), schedule.stop(true)]);
    expect(states).to.equal(1);
    expect(await saved()).to.deep.include({ closed: true });
  });

  it('writes none, not even at the stop, where the ledger was not restored and nothing started', async () => {
    record(2);
    await schedule.save();
    await schedule.stop(true);
    await schedule.save();
    expect(states).to.equal(0);
    expect(await saved()).to.equal(null);
  });

  it('does not say at the stop that the chain ends there when that is not certain', async () => {
    await schedule.start(null);
    record(2);
    await schedule.stop(false);
    expect(await saved()).to.deep.equal({ seq: 2, signs: 2, closed: false });
  });

  it('says whether a snapshot that was asked for was written', async () => {
    await schedule.start(null);
    expect(await schedule.save()).to.equal(true);
    rmSync(snapshotPath(auditFile()));
    mkdirSync(snapshotPath(auditFile()));
    expect(await schedule.save()).to.equal(false);
  });

  it('does not start beside a snapshot that says that the chain has ended and can not be replaced', async () => {
    mkdirSync(snapshotPath(auditFile()));
    const error = await schedule.start({ ...sampleSnapshot(0, 7), closed: true }).then(
      () => expect.fail('should have rejected'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(AuditUnavailableError);
    expect(String(error)).to.include(snapshotPath(auditFile()));
  });

  it('logs that one could not be written, throws nothing, and writes the next', async () => {
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
    await schedule.save();
    expect(log.events).to.have.length(2);
    rmSync(snapshotPath(auditFile()), { recursive: true });
    await schedule.stop(true);
    expect(await saved()).to.deep.include({ seq: 100_000, closed: true });
    expect(log.events).to.have.length(2);
  });
});
