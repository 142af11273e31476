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

/** Changes are seen by events alone. */
const SHORT: WatchTimes = { quietMs: 30, maxDelayMs: 5000, checkMs: 60_000 };

/** Changes are seen without events. */
const CHECKED = { ...SHORT, checkMs: 10 };

/** Timeout, milliseconds. */
const TIMEOUT_MS = 30_000;

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
    // A time that can be set back exactly.
    utimesSync(file, 1, 1);
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
      { quietMs: 45 },
    );
    watches.push(watch);
    watch.watch([late]);
    writeFileSync(late, 'x');
    await until(() => isNotified, 'the later change is reported');
  }

  const changes: { readonly [name: string]: () => void } = {
    'is written in place with a text of the same length': () => writeFileSync(file, 'tsrif'),
    'is replaced by a file of the same text': () => {
      writeFileSync(`${file}.new`, 'first');
      renameSync(`${file}.new`, file);
    },
    'is written in place with its times set back': () => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, 'tsrif');
      utimesSync(file, atime, mtime);
    },
    'gets other permissions': () => chmodSync(file, 0o600),
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`reports once that a file ${name}`, async () => {
      const { seen, watch } = observe();
      watch.watch([file, other]);
      change();
      await until(() => seen.length > 0, 'the change is reported');
      await allNotified();
      expect(seen).to.deep.equal([contentOf(file)]);
    });
  }

  it('reports that Kubernetes replaced the folder that ..data points to', async () => {
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
    await until(() => seen.length > 0, 'the exchange is reported');
    expect(seen).to.deep.equal(['second']);
  });

  it('reports that a file was removed, and that it reappeared', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    rmSync(file);
    await until(() => seen.length === 1, 'the loss is reported');
    writeFileSync(file, 'second');
    await until(() => seen.length === 2, 'the return is reported');
    expect(seen).to.deep.equal([null, 'second']);
  });

  it('reports that a symbolic link leads to another file while the previous one stays', async () => {
    const link = join(folder, 'link.crt');
    symlinkSync(file, link);
    file = link;
    const { seen, watch } = observe();
    watch.watch([link]);
    writeFileSync(other, 'second');
    symlinkSync(other, join(folder, 'next'));
    renameSync(join(folder, 'next'), link);
    await until(() => seen.includes('second'), 'the exchange is reported');
    writeFileSync(other, 'third');
    await until(() => seen.includes('third'), 'a change through the link is reported');
  });

  it('reports the creation of a file that was missing at start, even in a missing folder', async () => {
    file = join(folder, 'later', 'tls.crt');
    const { seen, watch } = observe(CHECKED);
    watch.watch([file]);
    mkdirSync(join(folder, 'later'));
    writeFileSync(file, 'second');
    await until(() => seen.includes('second'), 'the file is reported');
  });

  it('reports that a folder above a file was exchanged, for which the kernel has no event', async () => {
    for (const version of ['1', '2']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'tls.crt'), version);
    }
    symlinkSync('1', join(folder, 'current'));
    file = join(folder, 'current', 'tls.crt');
    const { seen, watch } = observe(CHECKED);
    watch.watch([file]);
    symlinkSync('2', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    await until(() => seen.includes('2'), 'the exchange is reported');
  });

  it('waits until a file written in pieces is complete', async () => {
    const { seen, watch } = observe({ ...SHORT, quietMs: 150 });
    watch.watch([file]);
    writeFileSync(file, '');
    for (let index = 0; index < 8; index++) {
      appendFileSync(file, `${index};`);
      await sleep(10);
    }
    await until(() => seen.length > 0, 'the change is reported');
    expect(seen[0]).to.match(/;7;$/);
  });

  it('reports a file that keeps changing after the maximum delay', async () => {
    const { seen, watch } = observe({ ...SHORT, quietMs: 150, maxDelayMs: 100 });
    watch.watch([file]);
    await until(() => {
      appendFileSync(file, 'more');
      return seen.length > 0;
    }, 'the change is reported');
  });

  it('does not report a new set of files as a change, and watches only that set', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    watch.watch([other, join(folder, 'missing')]);
    writeFileSync(file, 'nobody looks');
    await allNotified();
    expect(seen).to.deep.equal([]);

    watch.watch([file, other]);
    writeFileSync(file, 'second');
    await until(() => seen.length > 0, 'the change is reported');
    expect(seen).to.deep.equal(['second']);
  });

  it('reports a change to a file that the next set keeps', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    writeFileSync(file, 'second');
    watch.watch([file, other]);
    await until(() => seen.length > 0, 'the change is reported');
  });

  it('never overlaps calls, and reports changes made during a call once it has ended', async () => {
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
    await until(() => calls === 1, 'the change is reported');
    writeFileSync(file, 'third');
    await allNotified();
    expect(calls).to.equal(1);
    end();
    await until(() => calls === 2, 'the change meanwhile is reported');
  });

  it('ignores changes marked as seen, and reports later ones', async () => {
    const { seen, watch } = observe({ ...SHORT, quietMs: 300 });
    watch.watch([file]);
    writeFileSync(file, 'known');
    await watch.markSeen();
    await sleep(180);
    expect(seen).to.deep.equal([]);
    writeFileSync(file, 'news');
    await until(() => seen.length > 0, 'the change is reported');
    expect(seen).to.deep.equal(['news']);
  });

  it('reports nothing after it is stopped', async () => {
    const { seen, watch } = observe();
    watch.watch([file]);
    writeFileSync(file, 'second');
    watch.stop();
    watch.watch([file]);
    writeFileSync(file, 'third');
    await allNotified();
    expect(seen).to.deep.equal([]);
  });

  it('does not keep the process alive', () => {
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
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) expect.fail(`It did not come about that ${what}.`);
    await sleep(5);
  }
}
