import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { WatchedReloads } from '../../../../src/app/background/watched-reloads.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const TIMES = { watch: { quietMs: 30, maxDelayMs: 1000 }, retry: { first: 20, max: 40 } };

describe('WatchedReloads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watched-reloads-'));
  const [file, keyFile] = [join(folder, 'credentials.json'), join(folder, 'main.key')];
  let triggers: string[];
  let files: readonly string[];
  let reloads: ReturnType<typeof make>;
  /** Whether a failed reload may be retried. */
  let mayRetry: boolean;
  let onReload: () => void;

  beforeEach(async () => {
    writeFileSync(file, 'one');
    writeFileSync(keyFile, 'one');
    await sleep(20);
    triggers = [];
    files = [file];
    mayRetry = false;
    onReload = () => undefined;
    reloads = make(true);
  });
  afterEach(() => reloads.stop());
  after(() => rmSync(folder, { recursive: true }));

  function make(watch: boolean) {
    const options = { log: new RecordingServiceLog(), watch, times: TIMES };
    return new WatchedReloads(
      options,
      () => files,
      () => ({
        get mayRetry() {
          return mayRetry;
        },
        reload: (trigger: string) => {
          triggers.push(trigger);
          onReload();
        },
      }),
    );
  }

  async function until(count: number): Promise<void> {
    const begin = performance.now();
    while (triggers.length < count) {
      if (performance.now() - begin > 10_000) expect.fail(`only ${triggers.join(', ')}`);
      await sleep(5);
    }
  }

  /** Enough for a change notification and a retry. */
  const quiet = () => sleep(100);

  it('reloads when a file changes, but not for a change already loaded by a call', async () => {
    await reloads.reload('start');
    writeFileSync(file, 'two');
    await reloads.reload('request');
    await quiet();
    expect(triggers).to.deep.equal(['start', 'request']);
    writeFileSync(file, 'three');
    await until(3);
    expect(triggers[2]).to.equal('watch');
  });

  it('reloads once for a change and a signal while the change is settling', async () => {
    writeFileSync(file, 'two');
    await sleep(25);
    await reloads.reload('signal');
    await quiet();
    expect(triggers).to.deep.equal(['signal']);
  });

  it('reloads for no change with SIGNING_WATCH=false, and for none after it is stopped', async () => {
    reloads.stop();
    reloads = make(false);
    writeFileSync(file, 'two');
    await quiet();
    expect(triggers).to.deep.equal([]);
  });

  it('picks up a change while it opens the file', async () => {
    reloads.stop();
    const options = { log: new RecordingServiceLog(), watch: true, times: TIMES };
    const target = { mayRetry: false, reload: (trigger: string) => void triggers.push(trigger) };
    const opened = new WatchedReloads(
      options,
      () => files,
      () => {
        writeFileSync(file, 'two');
        return target;
      },
    );
    await until(1);
    opened.stop();
    expect(triggers).to.deep.equal(['watch']);
  });

  it('picks up a newly referenced file that changed while it was being loaded', async () => {
    onReload = () => {
      files = [file, keyFile];
      reloads.watchFiles();
      onReload = () => undefined;
      // The key has been opened.
      writeFileSync(keyFile, 'two');
    };
    await reloads.reload('start');
    await until(2);
    expect(triggers).to.deep.equal(['start', 'watch']);
  });

  it('retries a failure that may pass until it succeeds, or until it is stopped', async () => {
    let failures = 4;
    onReload = () => {
      failures -= 1;
      mayRetry = failures > 0;
    };
    await reloads.reload('request');
    await until(4);
    await quiet();
    expect(triggers).to.deep.equal(['request', 'retry', 'retry', 'retry']);
    failures = 4;
    await reloads.reload('request');
    reloads.stop();
    await quiet();
    expect(triggers).to.have.lengthOf(5);
  });

  it('reloads for a change while a failure is retried, which may load only what failed', async () => {
    onReload = () => {
      mayRetry = triggers.length === 1;
    };
    await reloads.reload('request');
    writeFileSync(file, 'two');
    await until(3);
    expect(triggers).to.deep.equal(['request', 'retry', 'watch']);
  });
});
