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

  /** Waits until no thread is there any more. */
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
