import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LARGE_FILE_BYTES, readInWorker } from '../../../../src/adapters/credentials/read-in-worker.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

const POLICY = { allowPlaintextKeys: true, production: false };
const PERMISSIONS = [{ principals: ['bot-*'], accounts: ['alpha/*'], operations: ['sign'] }];

describe('readInWorker', () => {
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

  /** Waits until other threads have ended. */
  async function untilThreads(count: number): Promise<void> {
    const begin = performance.now();
    while (threads() !== count) {
      if (performance.now() - begin > 10_000) expect.fail(`There are ${threads()} threads.`);
      await sleep(10);
    }
  }

  it('reads a small file in one slice without a thread', async () => {
    const before = threads();
    write(accountsOf(3));
    const reader = await readInWorker({ file: workplace().file, policy: POLICY });
    expect(threads()).to.equal(before);
    const slices: number[] = [];
    for await (const slice of reader.accounts) slices.push(slice.length);
    expect(slices).to.deep.equal([3]);
    reader.close();
  });

  it('reads a large file in slices in a worker, which ends after an issue or when the reader is closed early', async () => {
    const before = threads();
    write(accountsOf(1500), PERMISSIONS);
    const empty = workplace().path('empty.json');
    writeFileSync(empty, ' '.repeat(LARGE_FILE_BYTES + 1));
    const issue = rejection(readInWorker({ file: empty, policy: POLICY }));
    const reader = await readInWorker({ file: workplace().file, policy: POLICY });
    expect(await issue).to.match(/is empty/);
    await untilThreads(before + 1);
    expect(reader.permissions).to.deep.equal(PERMISSIONS);
    const slices = reader.accounts[Symbol.asyncIterator]();
    const { value: first } = await slices.next();
    expect(first).to.have.lengthOf.within(1, 500);
    reader.close();
    await untilThreads(before);
    const reasons: string[] = [];
    // Earlier messages may still arrive.
    for (let taken = 0; taken < 3 && reasons.length === 0; taken += 1) {
      await slices.next().catch((error: Error) => reasons.push(error.message));
    }
    expect(reasons).to.deep.equal(['The credentials reader thread has ended.']);
  });
});
