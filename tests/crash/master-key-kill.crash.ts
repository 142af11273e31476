import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { countIntactAccounts, masterKeysOf, writeAccounts } from '../e2e/many-accounts.ts';
import { Workplace } from '../harness/service-process.ts';
import { rounds } from './rounds.ts';

const ACCOUNTS = 400;
const RANDOM_KILLS = rounds(20);

describe('A killed rotation of the master key', () => {
  const place = new Workplace();

  before(async function () {
    this.timeout(60_000);
    await place.prepare('init');
    writeAccounts(place, ACCOUNTS);
  });
  after(() => place.remove());

  /** Kills a rotation, checks that everything loads, then rotates and retires. */
  async function killAfter(delay: number): Promise<void> {
    const [old] = (await masterKeysOf(place).report()).keys;
    const process = place.spawn('cli.js', ['master-key', 'rotate']);
    await sleep(delay);
    await process.kill();
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);

    await masterKeysOf(place).rotate(null);
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
    const { keys } = await masterKeysOf(place).report();
    expect([keys[0]?.accounts, keys.at(-1)?.id]).to.deep.equal([ACCOUNTS, old?.id]);
    await masterKeysOf(place).retire();
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
  }

  it(`keeps every key when killed at ${RANDOM_KILLS} random moments, and the next rotation succeeds`, async () => {
    const start = performance.now();
    await place.done('master-key', 'rotate');
    const duration = Math.ceil(performance.now() - start);
    await masterKeysOf(place).retire();
    for (let kill = 0; kill < RANDOM_KILLS; kill += 1) {
      // One in each twentieth of the duration, at random within it.
      await killAfter(((kill + Math.random()) * duration) / RANDOM_KILLS);
    }
  }).timeout(300_000);
});
