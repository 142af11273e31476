import { expect } from 'chai';
import { CHECKPOINT_MS, CHECKPOINT_RECORDS, CheckpointSchedule } from '../../../src/audit-trail/checkpoint-schedule.ts';

const START = Date.parse('2026-11-20T08:49:00.000Z');
const later = (milliseconds: number) => new Date(START + milliseconds).toISOString();

describe('CheckpointSchedule', () => {
  let schedule: CheckpointSchedule;

  beforeEach(() => {
    schedule = new CheckpointSchedule();
  });

  it('is never due before the first record', () => {
    expect(schedule.isDueBefore(later(10 * CHECKPOINT_MS))).to.equal(false);
    expect(schedule.uncovered).to.equal(0);
  });

  it('is due a minute after the first record that none covers', () => {
    schedule.count(later(0));
    schedule.count(later(CHECKPOINT_MS - 1));
    expect(schedule.isDueBefore(later(CHECKPOINT_MS - 1))).to.equal(false);
    expect(schedule.isDueBefore(later(CHECKPOINT_MS))).to.equal(true);
  });

  it('is due behind a thousand records, whatever their time', () => {
    for (let count = 0; count < CHECKPOINT_RECORDS - 1; count += 1) schedule.count(later(0));
    expect(schedule.isDueBefore(later(0))).to.equal(false);
    schedule.count(later(0));
    expect(schedule.uncovered).to.equal(CHECKPOINT_RECORDS);
    expect(schedule.isDueBefore(later(-CHECKPOINT_MS))).to.equal(true);
  });

  it('begins anew with the first record behind a checkpoint', () => {
    schedule.count(later(0));
    schedule.cover();
    expect(schedule.isDueBefore(later(2 * CHECKPOINT_MS))).to.equal(false);
    schedule.count(later(2 * CHECKPOINT_MS));
    expect(schedule.isDueBefore(later(3 * CHECKPOINT_MS - 1))).to.equal(false);
    expect(schedule.isDueBefore(later(3 * CHECKPOINT_MS))).to.equal(true);
  });

  it('goes on apart from its copy', () => {
    schedule.count(later(0));
    const copy = schedule.copy();
    copy.cover();
    expect([schedule.uncovered, copy.uncovered]).to.deep.equal([1, 0]);
    expect(schedule.isDueBefore(later(CHECKPOINT_MS))).to.equal(true);
  });
});
