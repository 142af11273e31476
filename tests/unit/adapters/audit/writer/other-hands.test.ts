import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { nodeCalls, type OpenFile } from '../../../../doubles/file-calls.ts';
import { verifyChain } from '../../../../harness/verified-chain.ts';
import {
  passRetryWaits,
  systemError,
  until,
  usePromptRetries,
  useSinkBench,
  useTemporaryFolder,
} from '../sink-bench.ts';

const FOREIGN = 'not a record\n';
const DISK_FULL = systemError('ENOSPC', 'no space left on device, write');

/** What another program did to the open segment; docs/operators/audit-log.md has the same rows. */
describe('An open audit file in the hands of another program', () => {
  const folder = useTemporaryFolder();
  const bench = useSinkBench(folder);
  usePromptRetries();
  const first = () => bench().segment(1);
  const permissions = (path: string) => statSync(path).mode & 0o777;
  const reasons = () =>
    bench()
      .verifyExactly()
      .files.map(({ name, reason }) => [name, reason]);

  beforeEach(async () => {
    await bench().open();
    await bench().append(3);
  });

  /** Does something to the file while the next group is written. */
  function duringWrite(interfere: () => void): void {
    bench().calls.datasync = async (file) => {
      bench().calls.datasync = nodeCalls.datasync;
      await nodeCalls.datasync(file);
      interfere();
    };
  }

  /** Signing goes on, and readiness reports it until an operator confirms it. */
  async function expectGoesOn(message: RegExp): Promise<void> {
    expect(await bench().append(3)).to.deep.equal([]);
    expect(bench().sink.available).to.equal(true);
    expect(await bench().sink.probe()).to.match(message);
    const logged = bench().log.events.filter(({ level }) => level === 'error');
    expect(logged.map((event) => event.message)).to.match(message);
    await bench().sink.reopen();
    expect(await bench().sink.probe()).to.equal(null);
    expect(await bench().append(1)).to.deep.equal([]);
  }

  /** Nothing is signed, whatever the retry timer does, until an operator decides. */
  async function expectStops(message: RegExp): Promise<void> {
    const [reason, ...others] = await bench().append(2);
    expect(reason).to.match(message).and.include(first()).and.include('SIGHUP');
    expect(others).to.deep.equal([reason]);
    await passRetryWaits();
    expect(bench().sink.available).to.equal(false);
    expect(await bench().sink.probe()).to.equal(reason);
    expect(await bench().append()).to.have.length(1);
    expect(existsSync(bench().segment(5))).to.equal(false);
  }

  describe('moved to another name', () => {
    it('loses and refuses nothing, and readiness reports it until SIGHUP', async () => {
      renameSync(first(), `${first()}.moved`);
      await expectGoesOn(/was moved by another program/);
      const head = { seq: 4, hash: await hashBefore(5) };
      expect(verifyChain(bench().folder, { head }).files.map(({ reason }) => reason)).to.deep.equal([
        'reopened',
        'reopened',
      ]);
      renameSync(`${first()}.moved`, first());
      bench().verifyExactly();
    });

    it('is confirmed by a SIGHUP that follows, as by a rotation script', async () => {
      renameSync(first(), `${first()}.moved`);
      await bench().sink.reopen();
      expect(await bench().sink.probe()).to.equal(null);
      expect(bench().names()).to.include('audit.000000000005.jsonl').and.not.include('audit.000000000006.jsonl');
    });

    it('when a rotation is due, is followed by one file', async () => {
      await bench().close();
      await bench().open({ rotation: { bytes: 1, hours: 0, files: 0 } });
      renameSync(first(), `${first()}.moved`);
      await bench().append();
      renameSync(`${first()}.moved`, first());
      expect(reasons().map(([, reason]) => reason)).to.deep.equal(['first', 'reopened']);
    });

    it('refuses no record that arrives while the next one begins', async () => {
      const later: Promise<readonly string[]>[] = [];
      bench().calls.open = ((path: string, ...args: [number, number]) => {
        if (path === bench().segment(5)) later.push(bench().append(2));
        return nodeCalls.open(path, ...args);
      }) as typeof nodeCalls.open;
      renameSync(first(), `${first()}.moved`);
      expect(await bench().append()).to.deep.equal([]);
      expect((await Promise.all(later)).flat()).to.deep.equal([]);
      expect(later).to.have.length(1);
    });

    it('has no record of a group that was written to it and again to the next one', async () => {
      bench().calls.write = async (file, bytes) => {
        bench().calls.write = nodeCalls.write;
        renameSync(first(), `${first()}.moved`);
        return nodeCalls.write(file, bytes);
      };
      expect(await bench().append(2)).to.deep.equal([]);
      renameSync(`${first()}.moved`, first());
      bench().verifyExactly();
    });
  });

  describe('removed', () => {
    for (const isNameRemoved of [false, true]) {
      it(`${isNameRemoved ? 'with' : 'without'} its second name, is saved as .recovered; nothing is lost or refused, and readiness reports it`, async () => {
        chmodSync(first(), 0o640);
        rmSync(first());
        if (isNameRemoved) rmSync(bench().file);
        await expectGoesOn(/was removed by another program/);
        expect(reasons()).to.deep.equal([
          ['audit.000000000001.jsonl.recovered', 'first'],
          ['audit.000000000005.jsonl', 'removed'],
          ['audit.000000000009.jsonl', 'reopened'],
        ]);
        expect(permissions(`${first()}.recovered`)).to.equal(0o640);
        expect(permissions(bench().segment(5))).to.equal(0o640);
      });
    }

    it('is saved at the stop, and the next start continues after it', async () => {
      rmSync(first());
      await bench().close();
      expect(bench().names()).to.include('audit.000000000001.jsonl.recovered');
      await bench().open();
      await bench().append(2);
      expect(reasons()).to.deep.equal([
        ['audit.000000000001.jsonl.recovered', 'first'],
        ['audit.000000000005.jsonl', 'removed'],
      ]);
    });

    for (const [what, call, failing, left] of [
      ['as soon as the disk has space, without partial copies', 'write', 'audit.000000000001.jsonl.recovered.tmp', []],
      [
        'once, even if the next file cannot begin at first',
        'open',
        'audit.000000000005.jsonl',
        ['audit.000000000001.jsonl.recovered'],
      ],
    ] as const) {
      it(`is saved ${what}`, async () => {
        rmSync(first());
        rmSync(bench().file);
        const original = nodeCalls[call] as (file: string | OpenFile, ...args: unknown[]) => Promise<unknown>;
        const fail = async (file: string | OpenFile, ...args: unknown[]) => {
          if (basename(typeof file === 'string' ? file : file.path) === failing) throw DISK_FULL;
          return original(file, ...args);
        };
        Object.assign(bench().calls, { [call]: fail });
        expect(await bench().append()).to.have.length(1);
        expect(bench().sink.available).to.equal(false);
        expect(bench().names()).to.deep.equal(left);
        Object.assign(bench().calls, nodeCalls);
        await bench().available();
        await bench().append(2);
        bench().verifyExactly();
      });
    }

    it('replaces no other file by the saved one', async () => {
      const target = `${first()}.recovered`;
      writeFileSync(target, FOREIGN);
      rmSync(first());
      expect(await bench().append(2)).to.deep.equal([]);
      expect(readFileSync(target, 'utf8')).to.equal(FOREIGN);
      expect(reasons().map(([name]) => name)).to.include('audit.000000000001_2.jsonl.recovered');
    });

    it('with its folder, waits for the folder', async () => {
      renameSync(bench().folder, `${bench().folder}-away`);
      expect(await bench().append()).to.have.length(1);
      expect(bench().sink.available).to.equal(false);
      renameSync(`${bench().folder}-away`, bench().folder);
      await bench().available();
      await bench().append(2);
      bench().verifyExactly();
    });
  });

  describe('truncated', () => {
    const truncations: { readonly [how: string]: () => void } = {
      'to nothing, as by copytruncate of its second name': () => truncateSync(bench().file, 0),
      'in part': () => truncateSync(first(), statSync(first()).size / 2),
    };
    for (const [how, cut] of Object.entries(truncations)) {
      it(`${how}, stops signing until SIGHUP; the next one has the reason and the rest stays`, async () => {
        cut();
        await expectStops(/was truncated by another program and has lost records/);
        const rest = readFileSync(first());
        await bench().sink.reopen();
        expect(await bench().append(2)).to.deep.equal([]);
        expect(await bench().sink.probe()).to.equal(null);
        expect(readFileSync(first())).to.deep.equal(rest);
        expectContinues('truncated');
      });
    }
  });

  describe('changed', () => {
    const changes: { readonly [how: string]: () => void } = {
      'by adding to it': () => appendFileSync(first(), FOREIGN),
      'by adding to its second name': () => appendFileSync(bench().file, FOREIGN),
      'by another file at its name': () => {
        writeFileSync(`${first()}.other`, FOREIGN);
        renameSync(`${first()}.other`, first());
      },
      'by a folder at its name': () => {
        rmSync(first());
        mkdirSync(first());
      },
      'and moved': () => {
        appendFileSync(first(), FOREIGN);
        renameSync(first(), `${first()}.moved`);
      },
    };
    for (const [how, change] of Object.entries(changes)) {
      it(`${how}, stops signing until SIGHUP; the next one has the reason, and no record is lost`, async () => {
        change();
        await expectStops(/was replaced or written to by another program/);
        await bench().sink.reopen();
        expect(await bench().append(2)).to.deep.equal([]);
        expectContinues('changed');
        const places = [first(), `${first()}.moved`, `${first()}.recovered`].filter((path) => existsSync(path));
        const kept = places.map((path) => (statSync(path).isFile() ? readFileSync(path, 'utf8') : '')).join('');
        for (const id of ['c-0', 'c-1', 'c-2']) expect(kept).to.include(`"${id}"`);
      });
    }

    it('while a write had failed, is not accepted by the SIGHUP that finds it', async () => {
      bench().calls.write = () => Promise.reject(DISK_FULL);
      await bench().append();
      bench().calls.write = nodeCalls.write;
      appendFileSync(first(), FOREIGN.repeat(1000));
      bench().calls.statfs = ((path: string) => {
        passRetryWaits();
        return nodeCalls.statfs(path);
      }) as typeof nodeCalls.statfs;
      await bench().sink.reopen();
      await bench().sink.probe();
      expect(bench().sink.available).to.equal(false);
    });

    it('before a SIGHUP for another purpose, is reported first and accepted by the next one', async () => {
      appendFileSync(first(), FOREIGN);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(false);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(true);
    });

    it('during a write, acknowledges nothing more from it', async () => {
      duringWrite(() => appendFileSync(first(), FOREIGN));
      await bench().append(2);
      expect(await bench().append(2)).to.have.length(2);
      expect(bench().sink.available).to.equal(false);
    });

    it('before a rotation, is not rotated away', async () => {
      await bench().close();
      await bench().open({ rotation: { bytes: 1, hours: 0, files: 0 } });
      appendFileSync(bench().segment(1), FOREIGN);
      expect(await bench().append()).to.have.length(1);
      expect(bench().sink.available).to.equal(false);
    });
  });

  for (const [what, change, message] of [
    ['added to', () => appendFileSync(first(), FOREIGN), /was replaced or written to/],
    ['truncated', () => truncateSync(first(), 0), /was truncated/],
  ] as const) {
    it(`${what} during a failed write, is evidence that stays as it is`, async () => {
      bench().calls.datasync = async () => {
        change();
        throw systemError('EIO', 'i/o error, write');
      };
      await bench().append();
      Object.assign(bench().calls, nodeCalls);
      const content = readFileSync(first());
      // While a retry is scheduled.
      await bench().sink.reopen();
      await expectStops(message);
      expect(readFileSync(first())).to.deep.equal(content);
    });
  }

  it('is found by readiness, without a request', async () => {
    await bench().close();
    await bench().open();
    rmSync(first());
    await bench().sink.probe();
    expect(bench().names()).to.include('audit.000000000001.jsonl.recovered');
  });

  it('is not deleted as one of the oldest, beside files with higher numbers', async () => {
    await bench().close();
    await bench().open({ rotation: { bytes: 1, hours: 0, files: 1 } });
    for (const seq of [1000, 2000, 3000]) writeFileSync(bench().segment(seq), FOREIGN);
    for (let count = 0; count < 3; count += 1) expect(await bench().append()).to.deep.equal([]);
    const isDeleted = () => !existsSync(first());
    await until(isDeleted, 'the oldest was deleted');
    expect(await bench().append()).to.deep.equal([]);
    expect(await bench().sink.probe()).to.equal(null);
    for (const seq of [1000, 2000, 3000]) expect(existsSync(bench().segment(seq))).to.equal(true);
  });

  it('leaves a closed file to other programs: moved, compressed, removed, read-only', async () => {
    for (let count = 0; count < 4; count += 1) {
      await bench().sink.reopen();
      await bench().append();
    }
    renameSync(first(), `${first()}.moved`);
    rmSync(bench().segment(5));
    chmodSync(bench().segment(7), 0o400);
    expect(await bench().append()).to.deep.equal([]);
    await bench().close();
    await bench().open();
    expect(await bench().append()).to.deep.equal([]);
    expect(await bench().sink.probe()).to.equal(null);
  });

  /** The segment after the damaged one follows the last acknowledged record. */
  function expectContinues(reason: string): void {
    const [segment = '', ...rest] = readFileSync(bench().segment(5), 'utf8').split('\n');
    expect(JSON.parse(segment)).to.deep.include({ seq: 5, event: 'segment' });
    expect(JSON.parse(segment).data.reason).to.equal(reason);
    expect(rest.filter((line) => line.includes('"event":"sign"'))).to.have.length(2);
  }

  async function hashBefore(seq: number): Promise<string> {
    return JSON.parse(readFileSync(bench().segment(seq), 'utf8').split('\n')[0] ?? '').prevHash;
  }
});
