import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { CheckpointCopy, type CheckpointTarget } from '../../../../../src/adapters/audit/checkpoint/checkpoint-copy.ts';
import type { AuditCheckpoint } from '../../../../../src/domain/model/audit-entry.ts';
import { withFakeTimeouts } from '../../../../doubles/fake-timeouts.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { isSettled } from '../../../domain/services/is-settled.ts';
import { createGate, type Gate, until } from '../sink-bench.ts';
import { sampleCheckpoint } from './sample-checkpoint.ts';

/** A place that records what it gets; an attempt ends when the gate is open. */
class Place implements CheckpointTarget {
  readonly setting = 'SIGNING_AUDIT_CHECKPOINT_FILE';
  readonly place = '/c';
  readonly seqs: number[] = [];
  failure: Error | null = null;
  gate: Gate | null = null;

  async save({ seq }: AuditCheckpoint): Promise<void> {
    this.seqs.push(seq);
    await this.gate?.passed;
    if (this.failure !== null) throw this.failure;
  }
}

describe('CheckpointCopy', () => {
  let place: Place;
  let log: RecordingServiceLog;

  beforeEach(() => {
    place = new Place();
    log = new RecordingServiceLog();
  });

  it('saves the first checkpoint at once, later ones after the interval, and only the newest', async () => {
    const copy = new CheckpointCopy(place, log, 50);
    for (const seq of [1, 2, 3]) copy.offer(sampleCheckpoint(seq));
    expect(place.seqs).to.deep.equal([1]);
    await until(() => place.seqs.length === 2, 'second checkpoint');
    expect(place.seqs).to.deep.equal([1, 3]);
    await sleep(120);
    expect(place.seqs).to.deep.equal([1, 3]);
    expect(copy.state).to.deep.equal({ setting: place.setting, place: '/c', seq: 3, failures: 0 });
  });

  it('makes one attempt at a time, also at the close', async () => {
    const copy = new CheckpointCopy(place, log, 0);
    place.gate = createGate();
    copy.offer(sampleCheckpoint(1));
    copy.offer(sampleCheckpoint(2));
    const closed = copy.close();
    await sleep(20);
    expect(place.seqs).to.deep.equal([1]);
    place.gate.open();
    await closed;
    expect(place.seqs).to.deep.equal([1, 2]);
  });

  it('ends the close although an attempt never ends', async () => {
    const copy = new CheckpointCopy(place, log, 0);
    place.gate = createGate();
    copy.offer(sampleCheckpoint(1));
    await withFakeTimeouts(async (tick) => {
      const closed = copy.close();
      tick(1999);
      expect(await isSettled(closed)).to.equal(false);
      tick(1);
      expect(await isSettled(closed)).to.equal(true);
    });
    expect(copy.state.seq).to.equal(null);
  });

  it('logs a failure with its number, tries again without new records, and logs the recovery', async () => {
    const copy = new CheckpointCopy(place, log, 20);
    place.failure = new Error('no space left');
    copy.offer(sampleCheckpoint(1));
    await until(() => log.events.length === 3, 'three failures');
    expect(copy.state).to.deep.include({ seq: null, failures: 3 });
    expect(log.events.map(({ level, facts }) => [level, facts['failures'], facts['seq']])).to.deep.equal([
      ['error', 1, 1],
      ['error', 2, 1],
      ['error', 3, 1],
    ]);
    expect(log.events[0]?.facts).to.deep.include({ setting: place.setting, place: '/c', cause: place.failure });
    copy.offer(sampleCheckpoint(5));
    place.failure = null;
    await until(() => copy.state.seq === 5, 'recovery');
    expect(copy.state.failures).to.equal(0);
    expect(log.events.at(-1)).to.deep.include({ level: 'info', message: 'Audit checkpoints are saved again.' });
    await copy.close();
  });
});
