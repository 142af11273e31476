import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type AccountDraft, addOne, useWorkplace } from './credentials-workplace.ts';
import { administrationOf } from './keyring/rotated-workplace.ts';
import { loadKeys } from './sealed-accounts.ts';

const CHILD = fileURLToPath(new URL('./add-accounts.js', import.meta.url));
const EMPTY = { version: 1, platforms: [], accounts: [] };
const PLATFORM = { platformId: 'alpha', format: 'A' };
/** Successful end. */
const DONE = { code: 0, signal: null, complaint: '' };
const DRAFT: AccountDraft = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'main',
  status: 'active',
  environment: 'production',
  algorithm: 'ed25519',
  createdAt: '2026-11-20T00:00:00.000Z',
};

describe('Concurrent edits of one credentials file', () => {
  const workplace = useWorkplace();
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /**
   * Starts adding accounts; `added` grows with durable ids, `closed` reports the end and errors.
   */
  function startAdding(prefix: string, count: number) {
    const { file, masterKeyFile } = workplace();
    const args = [CHILD, file, masterKeyFile, prefix, String(count)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const added: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => added.push(...text.split('\n').filter(Boolean)));
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    const closed = once(child, 'close').then(([code, signal]) => ({ code, signal, complaint }));
    return { child, added, closed };
  }

  async function listedIds(): Promise<readonly string[]> {
    return (await workplace().editor().list()).accounts.map(({ accountId }) => accountId);
  }

  const add = (draft: AccountDraft = DRAFT) => addOne(workplace().editor(), { draft });

  it('lose no account while the master key is repeatedly rotated and retired', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const masterKeys = administrationOf(workplace());
    const running = ['a', 'b'].map((prefix) => startAdding(prefix, 16));
    const ended = Promise.all(running.map(({ closed }) => closed));
    let isRunning = true;
    void ended.then(() => {
      isRunning = false;
    });
    let rotations = 0;
    while (isRunning) {
      await masterKeys.rotate(null);
      await masterKeys.retire();
      rotations += 1;
      // Editors retry at intervals.
      await sleep(40);
    }
    expect(await ended).to.deep.equal([DONE, DONE]);
    expect(rotations).to.be.greaterThan(3);
    expect(await listedIds()).to.have.members(running.flatMap(({ added }) => added));
    expect(new Set(await loadKeys(workplace().source())).size).to.equal(32);
    const { keys, missing } = await masterKeys.report();
    expect([keys.map(({ accounts }) => accounts), missing]).to.deep.equal([[32], []]);
  }).timeout(60_000);

  it('lose no completed change when a process is killed at any moment, and continue after it', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const added: string[] = [];
    for (const [prefix, enough] of [
      ['first', 3],
      ['second', 8],
      ['third', 14],
    ] as const) {
      const running = startAdding(prefix, 0);
      running.child.stdout.on('data', () => {
        if (running.added.length >= enough) running.child.kill('SIGKILL');
      });
      expect(await running.closed).to.deep.equal({ code: null, signal: 'SIGKILL', complaint: '' });
      added.push(...running.added);
      expect(await listedIds()).to.include.members(added);
    }
    await add();
    expect(await listedIds()).to.include.members([...added, 'main']);
  }).timeout(60_000);
});
