import { expect } from 'chai';
import { COUNTED_METRICS, type MetricDefinition } from '../../../../src/adapters/observability/metric-definition.ts';
import { READ_METRICS } from '../../../../src/adapters/observability/read-metrics.ts';

const DEFINED: readonly MetricDefinition[] = [...Object.values(COUNTED_METRICS), ...Object.values(READ_METRICS).flat()];

/**
 * Units other than base units, and abbreviations (https://prometheus.io/docs/practices/naming/).
 */
const NO_BASE_UNITS =
  /_(?:ms|milliseconds|minutes|hours|days|kb|kilobytes|megabytes|percent|bits|sec|count|sum|bucket)(?:_|$)/;

describe('The definitions of metrics', () => {
  it('are unique', () => {
    const names = DEFINED.map(({ name }) => name);
    expect(names).to.have.length.above(50);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('follow the Prometheus conventions, with a one-line explanation', () => {
    for (const { name, type, help, labels } of DEFINED) {
      expect(name)
        .to.match(/^signing_[a-z]+(?:_[a-z]+)*$/)
        .and.not.match(NO_BASE_UNITS);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(help, name).to.match(/^[A-Z0-9][^"\\\n]*\.$/);
      for (const label of labels)
        expect(label, name)
          .to.match(/^[a-z]+$/)
          .and.not.be.oneOf(['le', 'quantile', 'instance', 'job']);
    }
  });

  it('name no account, unless configured', () => {
    const withAccounts = DEFINED.filter(({ labels }) => labels.includes('account'));
    expect(withAccounts.map(({ help }) => help.includes('SIGNING_METRICS_ACCOUNTS'))).to.deep.equal([true, true]);
  });

  it('name no caller, unless configured', () => {
    const withCallers = DEFINED.filter(({ labels }) => labels.includes('caller'));
    expect(withCallers.map(({ help }) => help.includes('SIGNING_METRICS_CALLERS'))).to.deep.equal([true, true]);
  });
});
