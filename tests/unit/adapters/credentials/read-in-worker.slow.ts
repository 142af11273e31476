import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LARGE_FILE_BYTES, readInWorker } from '../../../../src/adapters/credentials/read-in-worker.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const POLICY = { allowPlaintextKeys: true, production: false };

describe('readInWorker, thread lifecycle', () => {
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

  /** Reads everything; returns the early error, if any. */
  async function drain(accounts: AsyncIterable<unknown>): Promise<string | null> {
    try {
      for await (const _ of accounts);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Waits until extra threads have ended. */
  async function untilNoThread(before: number): Promise<void> {
    const begin = performance.now();
    while (threads() > before) {
      if (performance.now() - begin > 10_000) expect.fail('A thread is still there.');
      await sleep(10);
    }
  }

  it('rejects pending receives when the worker ends', async () => {
    write(accountsOf(1500));
    const reader = await readInWorker({ file: workplace().file, policy: POLICY });
    const waiting = drain(reader.accounts);
    reader.close();
    expect(await waiting).to.equal('The credentials reader thread has ended.');
  });

  it('releases each slice once later ones are read', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    write(accountsOf(1500));
    const reader = await readInWorker({ file: workplace().file, policy: POLICY });
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

  it('ends the worker after an issue', async () => {
    const before = threads();
    writeFileSync(workplace().file, ' '.repeat(LARGE_FILE_BYTES + 1));
    expect(await rejection(readInWorker({ file: workplace().file, policy: POLICY }))).to.match(/is empty/);
    await untilNoThread(before);
  });
});
