import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { withFileLock } from '../../../../../src/adapters/driven/credential-source/file-lock.ts';
import { EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

describe('withFileLock', () => {
  const workplace = useWorkplace();
  const lockOf = () => `${workplace().file}.lock`;

  it('runs one action at a time, and returns what each returns', async () => {
    let running = 0;
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((result) =>
        withFileLock(workplace().file, async (isHeld) => {
          running += 1;
          expect(running).to.equal(1);
          await sleep(5);
          expect(isHeld()).to.equal(true);
          running -= 1;
          return result;
        }),
      ),
    );
    expect(results).to.deep.equal([1, 2, 3, 4, 5]);
    expect(existsSync(lockOf())).to.equal(false);
  });

  it('passes on what the action throws and gives the lock back', async () => {
    const thrown = new RangeError('from the action');
    const failure = withFileLock(workplace().file, async () => {
      throw thrown;
    });
    expect(await rejection(failure)).to.equal(thrown);
    expect(existsSync(lockOf())).to.equal(false);
  });

  it('takes over the lock of a process that is gone', async () => {
    mkdirSync(lockOf());
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lockOf(), longAgo, longAgo);
    expect(await withFileLock(workplace().file, async () => 'done')).to.equal('done');
  });

  it('waits for the lock of a process that is at work', async () => {
    mkdirSync(lockOf());
    const waiting = withFileLock(workplace().file, async () => existsSync(lockOf()));
    await sleep(100);
    rmSync(lockOf(), { recursive: true });
    expect(await waiting).to.equal(true);
  });

  it('gives up at last, naming the lock', async () => {
    mkdirSync(lockOf());
    const error = await rejection(withFileLock(workplace().file, async () => 'reached', 3));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include('is being changed by another process').and.include(lockOf());
    expect(existsSync(lockOf())).to.equal(true);
  });

  it('says at once what is missing when the lock can not be made', async () => {
    const error = await rejection(withFileLock(workplace().path('missing/credentials.json'), async () => 'reached'));
    expect(error).to.be.instanceOf(EditRefusedError);
    expect(error.message).to.include("can't be made (ENOENT)").and.include('write permission on its folder');
  });

  it('tells an action that asks when the lock was lost', async () => {
    const held = await withFileLock(workplace().file, async (isHeld) => {
      rmSync(lockOf(), { recursive: true });
      const until = Date.now() + 10_000;
      while (isHeld() && Date.now() < until) await sleep(50);
      return isHeld();
    });
    expect(held).to.equal(false);
  });
});
