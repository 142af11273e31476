import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LARGE_FILE_BYTES, readAside } from '../../../../../src/adapters/driven/credential-source/read-aside.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const POLICY = { allowPlaintextKeys: true, production: false };
const PERMISSIONS = [{ principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] }];

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
  const write = (accounts: readonly object[], permissions?: readonly object[]) =>
    workplace().write({ version: 1, platforms: [{ platformId: 'alpha', format: 'any' }], accounts, permissions });
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

  it('reads a large file in a thread, some accounts at a time, and when it is closed, also early, ends the thread and says so to whoever asks for more', async () => {
    const before = threads();
    write(accountsOf(1500));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    expect(threads(), 'a thread').to.equal(before + 1);
    const slices = reader.accounts[Symbol.asyncIterator]();
    const { value: first } = await slices.next();
    expect(first).to.have.lengthOf.within(1, 500);
    reader.close();
    await untilNoThread(before);
    const reasons: string[] = [];
    // What came before the end may still be taken.
    for (let taken = 0; taken < 3 && reasons.length === 0; taken += 1) {
      await slices.next().catch((error: Error) => reasons.push(error.message));
    }
    expect(reasons).to.deep.equal(['The thread that reads the credentials file has ended.']);
  });

  it('says that the thread has ended to whoever waits for a slice', async () => {
    write(accountsOf(1500));
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    const waiting = drain(reader.accounts);
    reader.close();
    expect(await waiting).to.equal('The thread that reads the credentials file has ended.');
  });

  it('gives who may do what', async () => {
    write(accountsOf(1), PERMISSIONS);
    const reader = await readAside({ file: workplace().file, policy: POLICY });
    reader.close();
    expect(reader.permissions).to.deep.equal(PERMISSIONS);
  });

  for (const pauseMs of [0, 5]) {
    it(`gives every account in its order to whoever takes ${pauseMs} ms for a slice of a large file, and who may do what`, async () => {
      write(accountsOf(1500), PERMISSIONS);
      const reader = await readAside({ file: workplace().file, policy: POLICY });
      expect(reader.permissions).to.deep.equal(PERMISSIONS);
      const ids: string[] = [];
      for await (const slice of reader.accounts) {
        ids.push(...slice.map(({ accountId }) => accountId));
        await sleep(pauseMs);
      }
      reader.close();
      expect(ids).to.deep.equal(accountsOf(1500).map(({ accountId }) => accountId));
    });
  }

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
