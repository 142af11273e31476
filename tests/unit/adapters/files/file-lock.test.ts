import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fsNative from 'fs-native-extensions';
import { withFileLock } from '../../../../src/adapters/files/file-lock.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from '../credentials/credentials-workplace.ts';

const HOLDER = fileURLToPath(new URL('./hold-lock.js', import.meta.url));
const COUNTER = fileURLToPath(new URL('./count-under-lock.js', import.meta.url));
const done = async () => 'done';

describe('withFileLock', () => {
  const workplace = useWorkplace();
  const lockOf = () => `${workplace().file}.lock`;
  const children: ChildProcess[] = [];
  const original = { stat: fs.stat };
  const { tryLock } = fsNative;

  beforeEach(() => workplace().write('0'));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    fsNative.tryLock = tryLock;
    Object.assign(fs, original);
    syncBuiltinESMExports();
  });

  function start(...args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  }

  async function startHolder(): Promise<ChildProcess> {
    const child = start(HOLDER, workplace().file);
    if (child.stdout === null) throw new Error('The child has no output.');
    expect(String(await once(child.stdout, 'data'))).to.equal('held');
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async function expectRefused(action: Promise<unknown>, ...parts: readonly string[]): Promise<void> {
    const error = await rejection(action);
    expect(error).to.be.instanceOf(OperatorError);
    for (const part of [lockOf(), 'nothing was changed', ...parts]) expect(error.message).to.include(part);
  }

  it('leaves an empty file of mode 600 behind, and no descriptor open', async () => {
    const descriptors = (await fs.readdir('/dev/fd')).length;
    await withFileLock(workplace().file, done);
    await withFileLock(workplace().file, () => rejection(withFileLock(workplace().file, done, 0)));
    const { mode, size } = statSync(lockOf());
    expect({ mode: mode & 0o7777, size }).to.deep.equal({ mode: 0o600, size: 0 });
    expect((await fs.readdir('/dev/fd')).length).to.equal(descriptors);
  });

  it('runs one action of a process at a time, and returns each result', async () => {
    let running = 0;
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((result) =>
        withFileLock(workplace().file, async () => {
          running += 1;
          expect(running).to.equal(1);
          await sleep(5);
          running -= 1;
          return result;
        }),
      ),
    );
    expect(results).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('serialises processes that change one file', async () => {
    const counters = Array.from({ length: 2 }, () => start(COUNTER, workplace().file, '20'));
    const exits = await Promise.all(counters.map((child) => once(child, 'exit')));
    for (const exit of exits) expect(exit).to.deep.equal([0, null]);
    expect(workplace().text()).to.equal('40');
  }).timeout(60_000);

  it('propagates an error of the action and releases the lock', async () => {
    const thrown = new RangeError('from the action');
    const failure = withFileLock(workplace().file, async () => {
      throw thrown;
    });
    expect(await rejection(failure)).to.equal(thrown);
    expect(await withFileLock(workplace().file, done, 0)).to.equal('done');
  });

  it('refuses while another process holds an old lock, and not once that process is killed', async () => {
    const holder = await startHolder();
    const longAgo = new Date(Date.now() - 86_400_000);
    await fs.utimes(lockOf(), longAgo, longAgo);
    await expectRefused(withFileLock(workplace().file, done, 3), 'Another process is changing');
    await kill(holder);
    expect(await withFileLock(workplace().file, done, 0)).to.equal('done');
  });

  it('does not leak the lock to a process started while holding it', async () => {
    const child = await withFileLock(workplace().file, async () => {
      const started = start('-e', 'process.stdout.write("up"); setTimeout(() => {}, 600000)');
      if (started.stdout !== null) await once(started.stdout, 'data');
      return started;
    });
    expect(await withFileLock(workplace().file, done, 0)).to.equal('done');
    expect(child.exitCode).to.equal(null);
  });

  it('gives a new lock file to the owner of the locked file, if permitted', async () => {
    const owner = statSync(workplace().file);
    const wanted = { ...owner, uid: owner.uid + 1 };
    Object.assign(fs, { stat: async () => wanted });
    syncBuiltinESMExports();
    expect(await withFileLock(workplace().file, done)).to.equal('done');
    expect(statSync(lockOf()).uid).to.equal(process.geteuid?.() === 0 ? wanted.uid : owner.uid);
  });

  it('reports immediately why the lock file cannot be created', async () => {
    const error = await rejection(withFileLock(workplace().path('missing/credentials.json'), done));
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include('cannot be opened (ENOENT)').and.include('write access to its folder');
  });

  it('reports immediately that the file system does not support locks', async () => {
    fsNative.tryLock = () => {
      throw Object.assign(new Error('from the system'), { code: 'ENOLCK' });
    };
    await expectRefused(withFileLock(workplace().file, done), 'cannot be locked (ENOLCK)', 'file system');
  });

  describe('immediately refuses, and leaves unchanged,', () => {
    const precious = () => workplace().path('precious');
    const obstacles: { readonly [what: string]: () => void } = {
      'a folder': () => mkdirSync(lockOf()),
      'a symbolic link': () => symlinkSync(precious(), lockOf()),
      'a second name of another file': () => linkSync(precious(), lockOf()),
      'a file with content': () => writeFileSync(lockOf(), 'content'),
    };
    for (const [what, put] of Object.entries(obstacles)) {
      it(`${what} in place of the lock file`, async () => {
        writeFileSync(precious(), '');
        put();
        const before = statSync(lockOf());
        await expectRefused(withFileLock(workplace().file, done), 'Move it to another folder');
        expect(statSync(lockOf())).to.deep.include({ ino: before.ino, size: before.size, uid: before.uid });
        expect(readFileSync(precious(), 'utf8')).to.equal('');
      });
    }
  });
});
