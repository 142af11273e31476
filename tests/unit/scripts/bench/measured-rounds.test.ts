import { expect } from 'chai';
import { LatencyList } from '../../../../scripts/bench/latency-list.ts';
import { median, medianRound, type Round, ratioOfRounds, spreadOf } from '../../../../scripts/bench/measured-rounds.ts';

const NOBODY = {
  p50: null,
  p99: null,
  cpuSecondsPer1000: null,
  serviceCores: null,
  callerCores: null,
  otherCores: null,
  rssBytes: null,
};

function rounds(...rates: readonly number[]): readonly Round[] {
  return rates.map((perSecond) => ({ perSecond, ...NOBODY }));
}

describe('Rounds of the bench', () => {
  it('have the middle value as their median, and the mean of two in the middle', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([9, 1, 5, 2])).to.equal(3.5);
    expect(median([])).to.be.NaN;
  });

  it('are summed up by the median of each field, those that nobody measured left out', () => {
    const [first, second, third] = [rounds(10), rounds(30), rounds(20)].flat();
    const summed = medianRound([{ ...first, p50: 4 } as Round, { ...second, p50: 2 } as Round, third as Round]);
    expect(summed).to.deep.equal({ ...NOBODY, perSecond: 20, p50: 3 });
  });

  it('lie between the least and the most of them', () => {
    expect(spreadOf([9, 1, 5, 2])).to.deep.equal({ median: 3.5, least: 1, most: 9 });
  });

  it('are compared with their neighbours in time: what slows the machine down for a while counts on both sides', () => {
    const ratio = ratioOfRounds(rounds(50, 10, 60), rounds(100, 20, 100));
    expect(ratio).to.deep.equal({ median: 0.5, least: 0.5, most: 0.6 });
    expect(ratioOfRounds(rounds(50, 10), rounds(100)).median).to.equal(0.5);
  });
});

describe("The bench's list of latencies", () => {
  it('gives the least value that a part of them does not exceed', () => {
    const list = new LatencyList();
    for (let ms = 100; ms >= 1; ms -= 1) list.add(ms);
    expect(list.quantiles()).to.deep.equal({ p50: 50, p99: 99, max: 100 });
  });

  it('has room for more than it began with, and forgets all when it is cleared', () => {
    const list = new LatencyList();
    for (let number = 1; number <= 300_000; number += 1) list.add(number);
    expect(list.quantiles()).to.deep.equal({ p50: 150_000, p99: 297_000, max: 300_000 });
    list.clear();
    expect(list.length).to.equal(0);
    expect(list.quantiles().p50).to.be.NaN;
    list.add(3);
    expect(list.quantiles()).to.deep.equal({ p50: 3, p99: 3, max: 3 });
  });
});
