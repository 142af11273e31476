import { expect } from 'chai';
import { BaselineError, baselineOf, compareRatios, comparisonText } from '../../../../scripts/bench/baseline.ts';
import { type BenchResult, resultOf } from '../../../../scripts/bench/bench-result.ts';
import type { Round } from '../../../../scripts/bench/measured-rounds.ts';
import { jsonOf } from '../../../../scripts/bench/write-result.ts';
import { BENCH_FACTS, roundsOf } from './bench-facts.ts';

/** A run in which single ed25519 has so many times the rate of the bare server. */
function runWith(
  ratio: number,
  more: { readonly auditOn?: readonly Round[]; readonly auditOff?: readonly Round[] } = {},
) {
  return resultOf(BENCH_FACTS, { singleEd25519: roundsOf(ratio * 1000), bareHttp: roundsOf(1000), ...more });
}

function linesOf(before: BenchResult, now: BenchResult): readonly string[] {
  return compareRatios(baselineOf(jsonOf(before)), now).map(comparisonText);
}

describe('A run of the bench that is compared with one before', () => {
  it('leaves alone what Node itself makes of HTTPS', () => {
    const ratios = { bareHttpsPerBareHttp: { median: 0.9 }, auditOnPerOff: { median: 0.8 } };
    const rounds = { bareHttps: roundsOf(100), bareHttp: roundsOf(1000) };
    const compared = compareRatios(baselineOf(JSON.stringify({ ratios })), resultOf(BENCH_FACTS, rounds));
    expect(compared.map(({ words }) => words)).to.deep.equal(['audit on ÷ audit off']);
  });

  it('knows whether that was a quick one', () => {
    expect(baselineOf(jsonOf(runWith(0.5))).isQuick).to.equal(BENCH_FACTS.isQuick);
    expect(baselineOf(jsonOf({ ...runWith(0.5), isQuick: true })).isQuick).to.equal(true);
  });

  it('is as good while no ratio is more than 20 % lower', () => {
    const isDropped = (now: number) => compareRatios(baselineOf(jsonOf(runWith(0.5))), runWith(now))[0]?.isDropped;
    expect(isDropped(0.5)).to.equal(false);
    expect(isDropped(0.401)).to.equal(false);
    expect(isDropped(0.399)).to.equal(true);
    expect(isDropped(2)).to.equal(false);
    expect(isDropped(Number.NaN)).to.equal(true);
  });

  it('says for each ratio what it was and what it is', () => {
    expect(linesOf(runWith(0.5), runWith(0.6))).to.deep.equal([
      'single ed25519 ÷ bare node:http: 0.600, before 0.500 (+20.0 %)',
    ]);
    expect(linesOf(runWith(0.5), runWith(0.25))).to.deep.equal([
      'single ed25519 ÷ bare node:http: 0.250, before 0.500 (-50.0 %): DROPPED by more than 20 %',
    ]);
  });

  it('says which ratios were not compared, and is no worse for it', () => {
    const withAudit = runWith(0.5, { auditOn: roundsOf(1), auditOff: roundsOf(1) });
    expect(linesOf(withAudit, runWith(0.5))).to.include(
      'audit on ÷ audit off: not compared, this run does not have it',
    );
    expect(linesOf(runWith(0.5), withAudit)).to.include(
      'audit on ÷ audit off: not compared, the run before does not have it',
    );
    const renamed = jsonOf(withAudit).replace('"singleEd25519PerBareHttp"', '"someOlderName"');
    const compared = compareRatios(baselineOf(renamed), runWith(0.5));
    expect(compared.map(comparisonText)).to.include('someOlderName: not compared, this run does not have it');
    expect(compared.some(({ isDropped }) => isDropped)).to.equal(false);
  });

  const broken: readonly (readonly [string, string])[] = [
    ['', 'it is not JSON'],
    ['{"ratios":', 'it is not JSON'],
    ['null', 'it has no object "ratios", as latest.json has'],
    ['{"scenarios":{}}', 'it has no object "ratios", as latest.json has'],
    ['{"ratios":[0.5]}', 'it has no object "ratios", as latest.json has'],
    ['{"ratios":{}}', 'it has none of the ratios that are compared'],
    ['{"ratios":{"someOlderName":{"median":1}}}', 'it has none of the ratios that are compared'],
    ['{"ratios":{"httpsPerHttp":0.9}}', 'ratios.httpsPerHttp.median is no number above 0'],
    ['{"ratios":{"httpsPerHttp":{"median":"0.9"}}}', 'ratios.httpsPerHttp.median is no number above 0'],
    ['{"ratios":{"httpsPerHttp":{"median":0}}}', 'ratios.httpsPerHttp.median is no number above 0'],
  ];
  for (const [text, reason] of broken) {
    it(`is not compared with ${text === '' ? 'an empty file' : text}`, () => {
      expect(() => baselineOf(text)).to.throw(BaselineError, reason);
    });
  }
});
