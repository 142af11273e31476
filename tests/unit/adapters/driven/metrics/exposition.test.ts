import { expect } from 'chai';
import { expose, type MetricFamily } from '../../../../../src/adapters/driven/metrics/exposition.ts';

const COUNTER: MetricFamily = {
  name: 'signing_things_total',
  type: 'counter',
  help: 'Things.',
  lines: [
    { labels: { kind: 'round' }, value: 3 },
    { labels: { kind: 'a "b" \\ c\nd' }, value: 0.5 },
  ],
};
const HISTOGRAM: MetricFamily = {
  name: 'signing_size_bytes',
  type: 'histogram',
  help: 'Sizes.',
  lines: [
    { name: 'signing_size_bytes_bucket', labels: { le: '+Inf' }, value: 2 },
    { name: 'signing_size_bytes_sum', labels: {}, value: Number.POSITIVE_INFINITY },
    { name: 'signing_size_bytes_count', labels: {}, value: 2 },
  ],
};

const written = (format: 'text' | 'openmetrics', ...families: readonly MetricFamily[]) =>
  [...expose(families, format)].join('');

// The formats: Prometheus' text-based exposition format 0.0.4, and OpenMetrics 1.0 (draft-ietf-opsawg-openmetrics).
describe('expose', () => {
  it("writes Prometheus' text format, labels escaped", () => {
    expect(written('text', COUNTER, HISTOGRAM)).to.equal(
      [
        '# HELP signing_things_total Things.',
        '# TYPE signing_things_total counter',
        'signing_things_total{kind="round"} 3',
        'signing_things_total{kind="a \\"b\\" \\\\ c\\nd"} 0.5',
        '# HELP signing_size_bytes Sizes.',
        '# TYPE signing_size_bytes histogram',
        'signing_size_bytes_bucket{le="+Inf"} 2',
        'signing_size_bytes_sum +Inf',
        'signing_size_bytes_count 2',
        '',
      ].join('\n'),
    );
  });

  it('writes OpenMetrics: a counter described without _total, and an end', () => {
    const lines = written('openmetrics', COUNTER, HISTOGRAM).split('\n');
    expect(lines.slice(0, 3)).to.deep.equal([
      '# HELP signing_things Things.',
      '# TYPE signing_things counter',
      'signing_things_total{kind="round"} 3',
    ]);
    expect(lines.slice(-2)).to.deep.equal(['# EOF', '']);
  });

  it("writes Go's words for what is no number or has no end", () => {
    const values = [Number.NaN, Number.NEGATIVE_INFINITY, 1e21, 1e-7];
    const lines = values.map((value) => ({ labels: {}, value }));
    expect(
      written('text', { ...COUNTER, type: 'gauge', lines })
        .split('\n')
        .slice(2, 6),
    ).to.deep.equal(['NaN', '-Inf', '1e+21', '1e-7'].map((value) => `signing_things_total ${value}`));
  });

  it('makes a page of no more than a hundred lines at a time', () => {
    const lines = Array.from({ length: 1000 }, (_, value) => ({ labels: {}, value }));
    const texts = [...expose([{ ...COUNTER, lines }], 'text')];
    expect(texts.length).to.be.at.least(10);
    for (const text of texts) expect(text.split('\n').length).to.be.at.most(102);
  });
});
