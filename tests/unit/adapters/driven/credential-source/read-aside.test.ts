import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LARGE_FILE_BYTES, readAside } from '../../../../../src/adapters/driven/credential-source/read-aside.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const POLICY = { allowPlaintextKeys: true, production: false };

describe('readAside', () => {
  const workplace = useWorkplace();

  const accountsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      platformId: 'alpha',
      accountId: `account-${index}`,
      algorithm: 'ed25519',
      alias: 'x'.repeat(100),
      key: { plaintext: '11'.repeat(32) },
    }));
  const write = (accounts: readonly object[]) =>
    workplace().write({ version: 1, platforms: [{ platformId: 'alpha', format: 'any' }], accounts });
  const threads = () =>
    (process.report.getReport() as unknown as { readonly workers: readonly object[] }).workers.length;

  /** Takes everything; returns what ended it early. */
  async function drain(accounts: AsyncIterable<unknown>): Promise<string | null> {
    try {
      for await (const _ of accounts);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Waits until no more threads are there than before. */
  async function untilNoThread(before: number): Promise<void> {
    const begin = performance.now();
    while (threads() > before) {
      if (performance.now() - begin > 10_000) expect.fail('A thread is still there.');
      await sleep(10);
    }
  }

  it('reads a small file in one slice and no thread', async () => {
    const before = threads();
    write(accountsOf(3));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    expect(threads()).to.equal(before);
    const slices: number[] = [];
    for await (const slice of reader.accounts) slices.push(slice.length);
    expect(slices).to.deep.equal([3]);
    reader.close();
  });

  it('reads a large file in a thread, some accounts at a time, and ends the thread when it is closed, also early', async () => {
    const before = threads();
    write(accountsOf(1500));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    const during = threads();
    const slices: number[] = [];
    for await (const slice of reader.accounts) {
      slices.push(slice.length);
      break;
    }
    reader.close();
    await untilNoThread(before);
    expect(during, 'a thread').to.equal(before + 1);
    expect(slices).to.have.lengthOf(1);
    expect(slices[0]).to.be.within(1, 500);
  });

  it('gives who may do what, from a large file as from a small one', async () => {
    const permissions = [{ principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] }];
    for (const count of [1, 1500]) {
      const platforms = [{ platformId: 'alpha', format: 'any' }];
      workplace().write({ version: 1, platforms, accounts: accountsOf(count), permissions });
      const reader = await readAside({ file: workplace().file, policy: POLICY });
      reader.close();
      expect(reader.permissions).to.deep.equal(permissions);
    }
  });

  for (const pauseMs of [0, 1, 5]) {
    it(`gives every account in its order to whoever takes ${pauseMs} ms for a slice`, async () => {
      write(accountsOf(1500));
      const reader = await readAside({ file: workplace().file, policy: POLICY });
      const ids: string[] = [];
      for await (const slice of reader.accounts) {
        ids.push(...slice.map(({ accountId }) => accountId));
        await sleep(pauseMs);
      }
      reader.close();
      expect(ids).to.deep.equal(accountsOf(1500).map(({ accountId }) => accountId));
    });
  }

  it('says that the thread has ended, to whoever waits for a slice and to whoever asks for one later', async () => {
    write(accountsOf(1500));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    const slices = reader.accounts[Symbol.asyncIterator]();
    await slices.next();
    const before = threads();
    reader.close();
    await untilNoThread(before - 1);
    const reasons: string[] = [];
    // What came before the end may still be taken.
    for (let taken = 0; taken < 3 && reasons.length === 0; taken += 1) {
      await slices.next().catch((error: Error) => reasons.push(error.message));
    }
    expect(reasons).to.deep.equal(['The thread that reads the credentials file has ended.']);

    const other = await readAside({ file: workplace().file, policy: POLICY });
    const waiting = drain(other.accounts);
    other.close();
    expect(await waiting).to.equal('The thread that reads the credentials file has ended.');
  });

  it('holds no slice that was taken over once the next ones are', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    write(accountsOf(1500));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    const slices: WeakRef<object>[] = [];
    for await (const slice of reader.accounts) {
      slices.push(new WeakRef(slice));
      if (slices.length === 5) break;
    }
    await sleep(10);
    collect();
    const held = slices.map((slice) => slice.deref() !== undefined);
    reader.close();
    expect(held.slice(0, 3)).to.deep.equal([false, false, false]);
  });

  it('ends the thread that has found a fault', async () => {
    const before = threads();
    writeFileSync(workplace().file, ' '.repeat(LARGE_FILE_BYTES + 1));
    expect(await rejection(readAside({ file: workplace().file, policy: POLICY }))).to.match(/is empty/);
    await untilNoThread(before);
  });
});
