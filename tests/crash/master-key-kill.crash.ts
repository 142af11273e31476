import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { countIntactAccounts, masterKeysOf, writeAccounts } from '../e2e/many-accounts.ts';
import { type Process, Workplace } from '../harness/service-process.ts';
import { rounds } from './rounds.ts';

const ACCOUNTS = 400;
const RANDOM_KILLS = rounds(20);

/** Resolves at the time of the kill. */
type Moment = (process: Process, isRunning: () => boolean) => Promise<void>;

describe('A killed rotation of the master key', () => {
  const place = new Workplace();
  const masterKeyFile = place.path('master.key');
  const credentialsFile = place.path('credentials.json');

  before(async function () {
    this.timeout(60_000);
    await place.prepare('init');
    writeAccounts(place, ACCOUNTS);
  });
  after(() => place.remove());

  /** Kills a rotation, checks that everything loads, and lets another one complete it. */
  async function killAt(moment: Moment): Promise<'before' | 'within' | 'after'> {
    const old = await masterKeysOf(place).report();
    const process = place.spawn('cli.js', ['master-key', 'rotate']);
    let isRunning = true;
    void process.ended().then(() => {
      isRunning = false;
    });
    await moment(process, () => isRunning);
    await process.kill();
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);

    const killed = await masterKeysOf(place).report();
    expect(killed.leftovers).to.have.members(leftovers());
    const isDone =
      killed.previous !== null && killed.previous.id !== killed.primary.id && killed.previous.accounts === 0;
    const isBegun = killed.previous !== null || leftovers().length > 0;
    if (!isDone) await masterKeysOf(place).rotate(false);
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);

    const { primary, previous } = await masterKeysOf(place).report();
    expect(primary.id).to.not.equal(old.primary.id);
    expect([primary.accounts, previous?.id, previous?.accounts]).to.deep.equal([ACCOUNTS, old.primary.id, 0]);
    await masterKeysOf(place).retire();
    expect(leftovers()).to.deep.equal([]);
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
    if (isDone) return 'after';
    return isBegun ? 'within' : 'before';
  }

  function leftovers(): readonly string[] {
    return [credentialsFile, masterKeyFile, `${masterKeyFile}.previous`]
      .map((file) => `${file}.tmp`)
      .filter(existsSync);
  }

  it(`keeps every key when killed at ${RANDOM_KILLS} random moments, and the next rotation completes it`, async () => {
    const start = performance.now();
    await place.done('master-key', 'rotate');
    const duration = Math.ceil(performance.now() - start);
    await masterKeysOf(place).retire();
    for (let kill = 0; kill < RANDOM_KILLS; kill += 1) {
      // One in each twentieth of the duration, at random within it.
      const delay = ((kill + Math.random()) * duration) / RANDOM_KILLS;
      await killAt(() => sleep(delay));
    }
  }).timeout(300_000);
});
