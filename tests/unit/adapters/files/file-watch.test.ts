import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { FileWatch, type WatchTimes } from '../../../../src/adapters/files/file-watch.ts';

const SHORT: WatchTimes = { intervalMs: 10, quietMs: 30, patienceMs: 5000 };

/** Timeout, milliseconds. */
const PATIENCE_MS = 30_000;

describe('FileWatch', () => {
  let folder: string;
  let file: string;
  let other: string;
  let watches: FileWatch[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'file-watch-'));
    file = join(folder, 'tls.crt');
    other = join(folder, 'tls.key');
    writeFileSync(file, 'first');
    writeFileSync(other, 'first');
    watches = [];
    // Within a time stamp step, text of the same length looks unchanged.
    await sleep(20);
  });
  afterEach(() => {
    for (const watch of watches) watch.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A watch and the file contents at each call; null: unreadable. */
  function observe(times: Partial<WatchTimes> = SHORT) {
    const seen: (string | null)[] = [];
    const watch = new FileWatch(() => {
      seen.push(contentOf(file));
    }, times);
    watches.push(watch);
    return { seen, watch };
  }

  /** Changes a marker file and waits until it is reported, so that all earlier changes were. */
  async function allNotified(): Promise<void> {
    const late = join(folder, 'late');
    let isNotified = false;
    const watch = new FileWatch(
      () => {
        isNotified = true;
      },
      { intervalMs: 100, quietMs: 100 },
    );
    watches.push(watch);
    watch.watch([late]);
    writeFileSync(late, 'x');
    await until(() => isNotified, 'the later change is told');
  }

  const changes: { readonly [name: string]: () => void } = {
    'is written in place': () => writeFileSync(file, 'second'),
    'is written in place with a text of the same length': () => writeFileSync(file, 'tsrif'),
    'is replaced by a new file that is renamed to it': () => {
      writeFileSync(`${file}.new`, 'second');
      renameSync(`${file}.new`, file);
    },
    'is renamed away and made again': () => {
      renameSync(file, `${file}~`);
      writeFileSync(file, 'second');
    },
    'is renamed away and made again with the same text': () => {
      renameSync(file, `${file}~`);
      writeFileSync(file, 'first');
    },
    'is written in place with its times set back': () => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, 'tsrif');
      utimesSync(file, atime, mtime);
    },
    'is removed': () => rmSync(file),
    'gets other permissions': () => chmodSync(file, 0o600),
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`tells, once, that a file ${name}`, async () => {
      const { seen, watch } = observe();
      watch.watch([file, other]);
      change();
      await until(() => seen.length > 0, 'the change is told');
      await allNotified();
      expect(seen).to.deep.equal([contentOf(file)]);
    });
  }

  it('tells that Kubernetes exchanged the folder behind ..data', async () => {
    for (const [version, text] of [
      ['..2026_11_20', 'first'],
      ['..2026_11_21', 'second'],
    ] as const) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'mounted.crt'), text);
    }
    symlinkSync('..2026_11_20', join(folder, '..data'));
    file = join(folder, 'mounted.crt');
    symlinkSync('..data/mounted.crt', file);
    const { seen, watch } = observe();
    watch.watch([file]);

    symlinkSync('..2026_11_21', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    rmSync(join(folder, '..2026_11_20'), { recursive: true });
    await until(() => seen.length > 0, 'the exchange is told');
    expect(seen).to.deep.equal(['second']);
  });

  it('tells that a file vanished, and that it came back', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    rmSync(file);
    await until(() => seen.length === 1, 'the loss is told');
    writeFileSync(file, 'second');
    await until(() => seen.length === 2, 'the return is told');
    expect(seen).to.deep.equal([null, 'second']);
  });

  it('tells that a file is there which was missing from the start, even in a folder that was missing', async () => {
    file = join(folder, 'later', 'tls.crt');
    const { seen, watch } = observe();
    watch.watch([file]);
    mkdirSync(join(folder, 'later'));
    writeFileSync(file, 'second');
    await until(() => seen.includes('second'), 'the file is told');
  });

  it('tells a burst of changes of several files once', async () => {
    const { seen, watch } = observe({ ...SHORT, quietMs: 1000 });
    watch.watch([file, other]);
    for (let index = 0; index < 20; index++) {
      writeFileSync(index % 2 === 0 ? file : other, `text ${index}`);
      await sleep(10);
    }
    await until(() => seen.length > 0, 'the changes are told');
    await allNotified();
    expect(seen).to.deep.equal(['text 18']);
  });

  it('waits for the end of a file that is written in pieces', async () => {
    const { seen, watch } = observe({ ...SHORT, quietMs: 1000 });
    watch.watch([file]);
    writeFileSync(file, '');
    for (let index = 0; index < 20; index++) {
      appendFileSync(file, `${index};`);
      await sleep(10);
    }
    await until(() => seen.length > 0, 'the change is told');
    expect(seen[0]).to.match(/;19;$/);
  });

  it('tells of a file that never comes to rest, after a while', async () => {
    const { seen, watch } = observe({ intervalMs: 10, quietMs: 1000, patienceMs: 200 });
    watch.watch([file]);
    await until(() => {
      appendFileSync(file, 'more');
      return seen.length > 0;
    }, 'the change is told');
  });

  it('takes another set of files for no change, and keeps to it', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    watch.watch([other, join(folder, 'missing')]);
    writeFileSync(file, 'nobody looks');
    await allNotified();
    expect(seen).to.deep.equal([]);

    watch.watch([file, other]);
    writeFileSync(file, 'second');
    await until(() => seen.length > 0, 'the change is told');
    expect(seen).to.deep.equal(['second']);
  });

  it('tells a change of a file that another set keeps', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    writeFileSync(file, 'second');
    watch.watch([file, other]);
    await until(() => seen.length > 0, 'the change is told');
  });

  it('never calls again before the call has ended, and tells then what changed meanwhile', async () => {
    let calls = 0;
    let end = () => {};
    const watch = new FileWatch(() => {
      calls += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    }, SHORT);
    watches.push(watch);
    watch.watch([file]);
    writeFileSync(file, 'second');
    await until(() => calls === 1, 'the change is told');
    writeFileSync(file, 'third');
    await allNotified();
    expect(calls).to.equal(1);
    end();
    await until(() => calls === 2, 'the change meanwhile is told');
  });

  it('takes what it caught up with for known, and tells what changes after it', async () => {
    const { seen, watch } = observe({ ...SHORT, intervalMs: 200 });
    watch.watch([file]);
    writeFileSync(file, 'known');
    await watch.catchUp();
    await allNotified();
    writeFileSync(file, 'news');
    await until(() => seen.length > 0, 'the change is told');
    expect(seen).to.deep.equal(['news']);
  });

  it('tells nothing once it was stopped', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    writeFileSync(file, 'second');
    watch.stop();
    watch.watch([file]);
    writeFileSync(file, 'third');
    await allNotified();
    expect(seen).to.deep.equal([]);
  });

  it('keeps no process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    observe().watch.watch([file]);
    expect(timers()).to.equal(before);
  });
});

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) expect.fail(`It did not come about that ${what}.`);
    await sleep(5);
  }
}
