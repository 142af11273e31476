import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { WatchedReloads } from '../../../../src/app/background/watched-reloads.ts';
import { accepted, type Outcome, refused } from '../../../../src/domain/model/outcome.ts';
import { refuse } from '../../../../src/domain/model/refusal.ts';
import type { ReloadTrigger } from '../../../../src/domain/model/service-state.ts';
import type { ReloadResult } from '../../../../src/domain/services/registry-changes.ts';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { SAMPLE_RELOAD_RESULT } from '../../../doubles/sample-reload-result.ts';

const TIMES = { watch: { intervalMs: 10, quietMs: 30, maxDelayMs: 1000 }, retry: { first: 20, max: 40 } };

describe('WatchedReloads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watched-reloads-'));
  const [file, keyFile] = [join(folder, 'credentials.json'), join(folder, 'main.key')];
  let triggers: ReloadTrigger[];
  let history: ReloadHistory;
  let files: readonly string[];
  let tellFiles: () => void;
  let reloads: WatchedReloads;
  /** The reload's outcome: success, invalid files, or a transient failure. */
  let onReload: () => Promise<'no' | 'faulty' | 'transient'>;

  beforeEach(async () => {
    writeFileSync(file, 'one');
    writeFileSync(keyFile, 'one');
    await sleep(20);
    triggers = [];
    files = [file];
    history = new ReloadHistory();
    onReload = async () => 'no';
    reloads = make(true);
  });
  afterEach(() => reloads.stop());
  after(() => rmSync(folder, { recursive: true }));

  function make(watch: boolean): WatchedReloads {
    const source = {
      get files() {
        return files;
      },
      onFiles: (listener: () => void) => {
        tellFiles = listener;
      },
    };
    return new WatchedReloads({
      reloads: { reload },
      history,
      source,
      log: new RecordingServiceLog(),
      watch,
      times: TIMES,
    });
  }

  async function reload(trigger: ReloadTrigger): Promise<Outcome<ReloadResult>> {
    triggers.push(trigger);
    const failure = await onReload();
    const outcome = failure === 'no' ? 'success' : 'failed';
    history.note({
      at: SAMPLE_RELOAD_RESULT.reloadedAt,
      trigger,
      outcome,
      issues: [],
      isTransient: failure === 'transient',
    });
    return failure === 'no'
      ? accepted(SAMPLE_RELOAD_RESULT)
      : refused(refuse('ConfigLoadFailed', { path: file, issues: [] }));
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
    await reloads.reload('start', null);
    writeFileSync(file, 'two');
    await reloads.reload('request', null);
    await quiet();
    expect(triggers).to.deep.equal(['start', 'request']);
    writeFileSync(file, 'three');
    await until(3);
    expect(triggers[2]).to.equal('watch');
  });

  it('picks up a newly referenced file that changed while it was being loaded', async () => {
    onReload = async () => {
      files = [file, keyFile];
      tellFiles();
      onReload = async () => 'no';
      // The key has been opened.
      writeFileSync(keyFile, 'two');
      return 'no';
    };
    await reloads.reload('start', null);
    await until(2);
    expect(triggers).to.deep.equal(['start', 'watch']);
  });

  it('retries a transient failure until it succeeds, and then stops', async () => {
    let failures = 4;
    onReload = async () => {
      failures -= 1;
      return failures > 0 ? 'transient' : 'no';
    };
    await reloads.reload('request', null);
    await until(4);
    await quiet();
    expect(triggers).to.deep.equal(['request', 'watch', 'watch', 'watch']);
  });

  it('does not retry for invalid files, after it is stopped, or without watching', async () => {
    onReload = async () => 'faulty';
    await reloads.reload('request', null);
    await quiet();
    expect(triggers).to.have.lengthOf(1);
    onReload = async () => 'transient';
    const blind = make(false);
    await blind.reload('request', null);
    await reloads.reload('request', null);
    reloads.stop();
    writeFileSync(file, 'two');
    await quiet();
    expect(triggers).to.have.lengthOf(3);
  });
});
