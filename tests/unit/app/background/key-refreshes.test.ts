import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { KeyRefreshes } from '../../../../src/app/background/key-refreshes.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const EVERY_SECONDS = 0.005;

class FailingRefresh extends MockKeyStore {
  override async refresh(): Promise<void> {
    await super.refresh();
    throw new Error('no');
  }
}

describe('KeyRefreshes', () => {
  const refreshes = (store: MockKeyStore) => store.calls.filter(({ call }) => call === 'refresh').length;

  const clock = new FixedClock('2026-11-20T08:49:00.000Z');
  const begin = (keyStore: MockKeyStore, log = new RecordingServiceLog()) =>
    new KeyRefreshes({ seconds: EVERY_SECONDS, keyStore, clock, log });

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(1);
  }

  it('refreshes the store repeatedly until stopped', async () => {
    const store = new MockKeyStore();
    const refreshing = begin(store);
    await until(() => refreshes(store) >= 3);
    refreshing.stop();
    expect(refreshing.state).to.deep.include({ failed: 0, lastAt: clock.now() });
    expect(refreshing.state.succeeded).to.be.at.least(2);
    const before = refreshes(store);
    await sleep(50);
    expect(refreshes(store)).to.equal(before);
  });

  it('logs a failure and continues', async () => {
    const store = new FailingRefresh();
    const log = new RecordingServiceLog();
    const refreshing = begin(store, log);
    await until(() => refreshes(store) >= 3);
    refreshing.stop();
    expect(refreshing.state).to.deep.include({ succeeded: 0, lastAt: null });
    expect(refreshing.state.failed).to.be.at.least(2);
    expect(log.events[0]).to.deep.include({
      level: 'error',
      message: 'Re-encryption of the keys in memory failed; they are unchanged.',
    });
    expect(log.events[0]?.facts['cause']).to.be.instanceOf(Error);
  });
});
