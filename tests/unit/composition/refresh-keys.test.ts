import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { refreshKeysEvery } from '../../../src/composition/refresh-keys.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';

const EVERY_SECONDS = 0.005;

class FailingRefresh extends MockKeyStore {
  override async refresh(): Promise<void> {
    await super.refresh();
    throw new Error('no');
  }
}

describe('refreshKeysEvery', () => {
  const refreshes = (store: MockKeyStore) => store.calls.filter(({ call }) => call === 'refresh').length;

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(1);
  }

  it('refreshes the store again and again, until it is stopped', async () => {
    const store = new MockKeyStore();
    const stop = refreshKeysEvery(EVERY_SECONDS, store, new RecordingServiceLog());
    await until(() => refreshes(store) >= 3);
    stop();
    const before = refreshes(store);
    await sleep(50);
    expect(refreshes(store)).to.equal(before);
  });

  it('logs a failure and goes on', async () => {
    const store = new FailingRefresh();
    const log = new RecordingServiceLog();
    const stop = refreshKeysEvery(EVERY_SECONDS, store, log);
    await until(() => refreshes(store) >= 3);
    stop();
    expect(log.events[0]).to.deep.include({
      level: 'error',
      message: 'The keys in memory could not be encrypted anew; they stay as they were.',
    });
    expect(log.events[0]?.facts['cause']).to.be.instanceOf(Error);
  });
});
