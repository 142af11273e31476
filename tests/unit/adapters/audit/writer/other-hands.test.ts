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
import { expect } from 'chai';
import { nodeCalls, type OpenFile } from '../../../../doubles/file-calls.ts';
import { DISK_BROKEN, DISK_FULL, passRetryWaits, ROTATING, usePromptRetries, useSinkBench } from '../sink-bench.ts';

const FOREIGN = 'not a record\n';
const CHANGED = /was replaced or written to by another program/;
const TRUNCATED = /was truncated by another program and has lost records/;

/**
 * What another program did to the open segment; docs/operators/audit-log.md has the same rows.
 * tests/api/operations/readiness.test.ts covers its folder.
 */
describe('An open audit file in the hands of another program', () => {
  const bench = useSinkBench();
  usePromptRetries();
  const first = () => bench().segment(1);
  const permissions = (path: string) => statSync(path).mode & 0o777;
  const move = () => renameSync(first(), `${first()}.moved`);
  const putBack = () => renameSync(`${first()}.moved`, first());

  beforeEach(async () => {
    await bench().open();
    await bench().append(3);
  });

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
      move();
      await expectGoesOn(/was moved by another program/);
      putBack();
      expect(bench().reasons()).to.deep.equal(['first', 'reopened', 'reopened']);
    });

    it('is confirmed by a SIGHUP that follows, as by a rotation script', async () => {
      move();
      await bench().sink.reopen();
      expect(await bench().sink.probe()).to.equal(null);
      expect(bench().names()).to.include('audit.000000000005.jsonl').and.not.include('audit.000000000006.jsonl');
    });

    it('refuses no record that arrives while the next one begins', async () => {
      const later: Promise<readonly string[]>[] = [];
      bench().calls.open = ((path: string, ...args: [number, number]) => {
        if (path === bench().segment(5)) later.push(bench().append(2));
        return nodeCalls.open(path, ...args);
      }) as typeof nodeCalls.open;
      move();
      expect(await bench().append()).to.deep.equal([]);
      expect((await Promise.all(later)).flat()).to.deep.equal([]);
      expect(later).to.have.length(1);
    });

    it('has no record of a group that was written to it and again to the next one', async () => {
      bench().calls.write = async (file, bytes) => {
        bench().calls.write = nodeCalls.write;
        move();
        return nodeCalls.write(file, bytes);
      };
      expect(await bench().append(2)).to.deep.equal([]);
      putBack();
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
        expect(bench().reasons()).to.deep.equal(['first', 'removed', 'reopened']);
        for (const path of [`${first()}.recovered`, bench().segment(5)]) expect(permissions(path)).to.equal(0o640);
      });
    }

    it('is saved at the stop, and the next start continues after it', async () => {
      rmSync(first());
      await bench().close();
      expect(existsSync(`${first()}.recovered`)).to.equal(true);
      await bench().open();
      await bench().append(2);
      expect(bench().reasons()).to.deep.equal(['first', 'removed']);
    });

    for (const [what, call, failing, left] of [
      ['as soon as the disk has space, without partial copies', 'write', /\.recovered\.tmp$/, []],
      ['once, even if the next file cannot begin', 'open', /5\.jsonl$/, ['audit.000000000001.jsonl.recovered']],
    ] as const) {
      it(`is saved ${what}`, async () => {
        rmSync(first());
        rmSync(bench().file);
        const original = nodeCalls[call] as (file: string | OpenFile, ...args: unknown[]) => Promise<unknown>;
        const fail = async (file: string | OpenFile, ...args: unknown[]) => {
          if (failing.test(typeof file === 'string' ? file : file.path)) throw DISK_FULL;
          return original(file, ...args);
        };
        Object.assign(bench().calls, { [call]: fail });
        expect(await bench().append()).to.have.length(1);
        expect(bench().sink.available).to.equal(false);
        expect(bench().names()).to.deep.equal(left);
        bench().mend();
        await bench().resume();
      });
    }

    it('replaces no other file by the saved one', async () => {
      const target = `${first()}.recovered`;
      writeFileSync(target, FOREIGN);
      rmSync(first());
      expect(await bench().append(2)).to.deep.equal([]);
      expect(readFileSync(target, 'utf8')).to.equal(FOREIGN);
      expect(bench().verifyExactly().files[0]?.name).to.equal('audit.000000000001_2.jsonl.recovered');
    });
  });

  describe('with other content', () => {
    const changes: { readonly [how: string]: () => void } = {
      'truncated to nothing, as by copytruncate of its second name': () => truncateSync(bench().file, 0),
      'truncated in part': () => truncateSync(first(), statSync(first()).size / 2),
      'added to': () => appendFileSync(first(), FOREIGN),
      'added to through its second name': () => appendFileSync(bench().file, FOREIGN),
      'replaced by another file': () => {
        writeFileSync(`${first()}.other`, FOREIGN);
        renameSync(`${first()}.other`, first());
      },
      'replaced by a folder': () => {
        rmSync(first());
        mkdirSync(first());
      },
      'added to and moved': () => {
        appendFileSync(first(), FOREIGN);
        move();
      },
    };
    for (const [how, change] of Object.entries(changes)) {
      it(`(${how}) stops signing until SIGHUP; the next one has the reason, and nothing more is lost`, async () => {
        const reason = how.startsWith('truncated') ? 'truncated' : 'changed';
        change();
        await expectStops(reason === 'truncated' ? TRUNCATED : CHANGED);
        const { 'audit.jsonl': _, ...evidence } = bench().contents();
        await bench().sink.reopen();
        expect(await bench().append(2)).to.deep.equal([]);
        expect(await bench().sink.probe()).to.equal(null);
        const contents = bench().contents();
        expect(contents).to.include(evidence);
        const { 'audit.000000000005.jsonl': next = '', ...others } = contents;
        expect(next).to.match(new RegExp(`^\\{"v":2,"seq":5,.*"reason":"${reason}".*(\\n.*"event":"sign".*){2}\\n$`));
        if (reason === 'truncated') return;
        for (const id of ['c-0', 'c-1', 'c-2']) expect(Object.values(others).join('')).to.include(`"${id}"`);
      });
    }

    it('since a write failed, is not accepted by the SIGHUP that finds it', async () => {
      bench().fail(DISK_FULL, 'write');
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

    it('is reported by a SIGHUP for another purpose, and accepted by the next one', async () => {
      appendFileSync(first(), FOREIGN);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(false);
      await bench().sink.reopen();
      expect(bench().sink.available).to.equal(true);
    });

    it('when a rotation is due, is not rotated away', async () => {
      await bench().restart(ROTATING);
      appendFileSync(bench().segment(1), FOREIGN);
      expect(await bench().append()).to.have.length(1);
      expect(bench().sink.available).to.equal(false);
    });
  });

  for (const [what, change, message] of [
    ['added to', () => appendFileSync(first(), FOREIGN), CHANGED],
    ['truncated', () => truncateSync(first(), 0), TRUNCATED],
  ] as const) {
    it(`${what} during a failed write, is evidence that stays as it is`, async () => {
      bench().calls.datasync = async () => {
        change();
        throw DISK_BROKEN;
      };
      await bench().append();
      bench().mend();
      const content = readFileSync(first());
      // While a retry is scheduled.
      await bench().sink.reopen();
      await expectStops(message);
      expect(readFileSync(first())).to.deep.equal(content);
    });
  }

  it('is found by readiness, without a request', async () => {
    await bench().restart();
    rmSync(first());
    await bench().sink.probe();
    expect(existsSync(`${first()}.recovered`)).to.equal(true);
  });

  it('leaves a closed file to other programs: moved, compressed, removed, read-only', async () => {
    for (let count = 0; count < 4; count += 1) {
      await bench().sink.reopen();
      await bench().append();
    }
    move();
    rmSync(bench().segment(5));
    chmodSync(bench().segment(7), 0o400);
    expect(await bench().append()).to.deep.equal([]);
    await bench().restart();
    expect(await bench().append()).to.deep.equal([]);
    expect(await bench().sink.probe()).to.equal(null);
  });
});
