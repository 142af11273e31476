import { expect } from 'chai';
import { chartOf } from '../../../../scripts/bench/bench-chart.ts';
import { DISTURBED, isDisturbed, type MeasuredRounds, resultOf } from '../../../../scripts/bench/bench-result.ts';
import { RATIO_TARGETS, SCENARIOS, type ScenarioName } from '../../../../scripts/bench/bench-targets.ts';
import { jsonOf } from '../../../../scripts/bench/write-result.ts';
import { BENCH_FACTS, roundsOf } from './bench-facts.ts';

const EVERYTHING: MeasuredRounds = Object.fromEntries(
  Object.keys(SCENARIOS).map((name) => [name, roundsOf(1000, 3000, 2000)]),
);

function resultWith(rounds: MeasuredRounds) {
  return resultOf(BENCH_FACTS, rounds);
}

describe('What a run of the bench comes to', () => {
  it('has these ratios, with these targets', () => {
    expect(Object.fromEntries(RATIO_TARGETS.map(({ name, atLeast }) => [name, atLeast]))).to.deep.equal({
      singleEd25519PerBareHttp: 0.33,
      singleEip191PerBareHttp: 0.25,
      httpsPerHttp: 0.9,
      bareHttpsPerBareHttp: null,
      batchEd25519PerLibsodium: 0.5,
      batchEip191PerLibsecp256k1: 0.6,
      auditOnPerOff: 0.8,
      manyAccountsPerFew: 0.95,
      twoProcessesPerOne: 1.7,
    });
  });

  it('reaches a target with exactly that ratio, and misses it with less', () => {
    const ratioOf = (rate: number) =>
      resultWith({ auditOn: roundsOf(rate), auditOff: roundsOf(100) }).ratios.auditOnPerOff;
    expect(ratioOf(80)).to.deep.equal({ median: 0.8, least: 0.8, most: 0.8, target: 0.8, holds: true });
    expect(ratioOf(79.9)?.holds).to.equal(false);
  });

  it('has no target for what Node itself makes of HTTPS', () => {
    const rounds = { bareHttps: roundsOf(60), bareHttp: roundsOf(100) };
    const { ratios } = resultWith(rounds);
    expect(ratios.bareHttpsPerBareHttp).to.include({ median: 0.6, target: null, holds: null });
    expect(chartOf(resultWith(rounds)))
      .to.not.include('>misses<')
      .and.not.include('null');
  });

  it('reaches a latency below its limit, and misses it at the limit', () => {
    const holds = (p99: number) =>
      resultWith({ paced100: roundsOf(100).map((round) => ({ ...round, p99 })) }).latencies.p99At100PerSecondMs?.holds;
    expect(holds(4.99)).to.equal(true);
    expect(holds(5)).to.equal(false);
  });

  it('tells the middle of the 99th percentiles of the rounds, and between which they lie: one moment of standing still is no latency', () => {
    const rounds = [2.5, 40, 3].flatMap((p99) => roundsOf(1000).map((round) => ({ ...round, p99 })));
    const latency = resultWith({ paced1000: rounds }).latencies.p99At1000PerSecondMs;
    expect(latency).to.deep.equal({ ms: 3, least: 2.5, most: 40, below: 10, holds: true });
  });

  it('leaves out what was not measured', () => {
    const { ratios, latencies, scenarios } = resultWith({ singleEd25519: roundsOf(1) });
    expect(ratios).to.deep.equal({});
    expect(latencies).to.deep.equal({});
    expect(Object.keys(scenarios)).to.deep.equal(['singleEd25519']);
  });

  it('is disturbed where other programs had a fifth of a processor in most rounds of a scenario, and the chart says so', () => {
    const withOthers = (...others: readonly number[]) =>
      resultWith({
        singleEd25519: others.flatMap((otherCores) => roundsOf(1).map((round) => ({ ...round, otherCores }))),
      });
    expect(isDisturbed(withOthers(0.05, 0.3, 0.3))).to.equal(true);
    expect(isDisturbed(withOthers(0.05, 0.05, 0.9))).to.equal(false);
    expect(chartOf(withOthers(0.3))).to.include(DISTURBED);
    expect(chartOf(withOthers(0.1))).to.not.include(DISTURBED);
  });

  it('is written with all rounds, to five digits', () => {
    const written = JSON.parse(jsonOf(resultWith(EVERYTHING)));
    expect(written).to.include({ version: 1, commit: 'abc1234', isQuick: false });
    expect(written.scenarios.singleEd25519.rounds).to.have.lengthOf(3);
    expect(written.scenarios.singleEd25519.medians).to.include({ perSecond: 2000, cpuSecondsPer1000: 0.071234 });
    expect(Object.keys(written.ratios)).to.have.lengthOf(RATIO_TARGETS.length);
  });
});

describe('The chart of a run of the bench', () => {
  const chart = chartOf(resultWith(EVERYTHING));

  it('names every ratio with its target and whether that holds', () => {
    for (const { words, atLeast } of RATIO_TARGETS) {
      if (atLeast === null) continue;
      expect(chart).to.include(`>${words}<`).and.include(`≥ ${atLeast}: `);
    }
    expect(chart.match(/>holds</g)).to.have.lengthOf(9);
    expect(chart.match(/>misses</g)).to.have.lengthOf(1);
  });

  it('draws a bar at the target where a ratio has just reached it', () => {
    const widthAt = (rate: number) => {
      const drawn = chartOf(resultWith({ auditOn: roundsOf(rate), auditOff: roundsOf(100) }));
      const [, x, width] = /<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="18"/.exec(drawn) ?? [];
      const target = /<line x1="([\d.]+)"/.exec(drawn)?.[1];
      return (Number(x) + Number(width) - Number(target)).toFixed(1);
    };
    expect(widthAt(80)).to.equal('0.0');
    expect(Number(widthAt(40))).to.be.below(-100);
    expect(Number(widthAt(90))).to.be.above(10);
  });

  it('has no script, nothing from elsewhere, and a ground of its own', () => {
    expect(chart).to.not.match(/<script|href|url\(|@import| on\w+=/);
    expect(chart).to.match(/<rect [^>]*width="959"[^>]*fill="#ffffff"/);
  });

  it('is well-formed whatever the processor is called', () => {
    expect(chart).to.include('Some &lt;Processor&gt; &amp; Co');
    const open: string[] = [];
    for (const [, closing, name = '', empty] of chart.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (closing === '/') expect(open.pop()).to.equal(name);
      else if (empty !== '/') open.push(name);
    }
    expect(open).to.deep.equal([]);
  });

  it('is drawn of a quick run, too', () => {
    const measured: readonly ScenarioName[] = ['bareHttp', 'singleEd25519', 'paced1000'];
    const quick = chartOf(resultWith(Object.fromEntries(measured.map((name) => [name, EVERYTHING[name]]))));
    expect(quick).to.include('single ed25519 ÷ bare node:http').and.not.include('audit off');
    expect(quick).to.not.match(/NaN|Infinity|undefined/);
  });
});
