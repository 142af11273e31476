import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type PlaceInLine, WaitLine } from '../../../../../../src/adapters/driving/http/overload/wait-line.ts';

const LONG_MS = 60_000;

function joined(line: WaitLine): PlaceInLine {
  return line.join() ?? expect.fail('The line is full.');
}

describe('WaitLine', () => {
  it('serves first who came first', async () => {
    const line = new WaitLine(3, LONG_MS);
    const served: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => joined(line).served.then((isServed) => isServed && served.push(name)));
    for (let turn = 0; turn < 3; turn += 1) line.serveNext();
    await Promise.all(all);
    expect(served).to.deep.equal(['a', 'b', 'c']);
    expect(line.length).to.equal(0);
  });

  it('takes no more than its length, and another one when somebody left', async () => {
    const line = new WaitLine(2, LONG_MS);
    const [first] = [joined(line), joined(line)];
    expect(line.isFull).to.equal(true);
    expect(line.join()).to.equal(null);
    first.leave();
    expect(await first.served).to.equal(false);
    expect(line.isFull).to.equal(false);
    joined(line);
  });

  it('passes over those who left', async () => {
    const line = new WaitLine(2, LONG_MS);
    const [first, second] = [joined(line), joined(line)];
    first.leave();
    line.serveNext();
    expect(await Promise.all([first.served, second.served])).to.deep.equal([false, true]);
  });

  it('lets nobody wait for longer than the set time, and goes on for those who came later', async () => {
    const line = new WaitLine(10, 20);
    const first = joined(line);
    await sleep(15);
    const second = joined(line);
    expect(await first.served).to.equal(false);
    expect(await second.served).to.equal(false);
    expect(line.length).to.equal(0);
    const third = joined(line);
    line.serveNext();
    expect(await third.served).to.equal(true);
  });

  it('has nobody to serve when nobody waits', () => {
    new WaitLine(1, LONG_MS).serveNext();
  });
});
