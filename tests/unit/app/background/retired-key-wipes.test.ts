import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { RetiredKeyWipes } from '../../../../src/app/background/retired-key-wipes.ts';

describe('RetiredKeyWipes', () => {
  it('wipes expired keys again and again until it is stopped', async () => {
    let count = 0;
    let seenTwice = () => {};
    const twice = new Promise<void>((resolve) => {
      seenTwice = resolve;
    });
    const wipeExpired = () => {
      count += 1;
      if (count === 2) seenTwice();
    };
    // The timer does not keep this process alive.
    const alive = setInterval(() => undefined, 1000);
    const wipes = new RetiredKeyWipes({ wipeExpired }, 1);
    await twice;
    wipes.stop();
    clearInterval(alive);
    const stopped = count;
    await sleep(20);
    expect(count).to.equal(stopped);
  });
});
