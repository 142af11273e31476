import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { Distribution } from '../../../../../src/adapters/driven/metrics/distribution.ts';
import { expose } from '../../../../../src/adapters/driven/metrics/exposition.ts';
import type { CountedMetric } from '../../../../../src/adapters/driven/metrics/metric-definition.ts';

const BUCKETS = [0.001, 0.5, 1, 10];

const LABELS = {
  none: [],
  one: ['outcome'],
  three: ['method', 'route', 'status'],
} as const satisfies { readonly [count: string]: readonly string[] };

function definition(labels: readonly string[]): CountedMetric {
  return { name: 'signing_test_seconds', type: 'histogram', help: 'Time of a test.', labels, buckets: BUCKETS };
}

function textOf(distribution: Distribution): string {
  return [...expose([distribution.family()], 'text')].join('');
}

/** The same by prom-client, whose page ends with a line more. */
class Reference {
  readonly #registry = new Registry();
  readonly #names: readonly string[];
  readonly #histogram: Histogram;

  constructor({ name, help, labels, buckets = [] }: CountedMetric) {
    this.#names = labels;
    this.#histogram = new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers: [this.#registry],
    });
  }

  observe(values: readonly string[], value: number): void {
    this.#histogram.observe(this.#named(values), value);
  }

  expect(values: readonly string[]): void {
    this.#histogram.zero(this.#named(values));
  }

  remove(values: readonly string[]): void {
    this.#histogram.remove(this.#named(values));
  }

  async text(): Promise<string> {
    return `${(await this.#registry.metrics()).trimEnd()}\n`;
  }

  #named(values: readonly string[]): { [name: string]: string } {
    return Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']));
  }
}

const value = fc.oneof(fc.constantFrom(...BUCKETS, 0, -1), fc.double({ noNaN: true, min: 0, max: 12 }));

describe('Distribution', () => {
  for (const [count, labels] of Object.entries(LABELS)) {
    it(`with labels: ${count}, shows what a histogram of prom-client shows, to the byte`, async () => {
      const values = fc.tuple(...labels.map(() => fc.constantFrom('a', 'b', '(none)', 'GET "/x\\y"\n')));
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(values, value)), async (observations) => {
          const distribution = new Distribution(definition(labels));
          const reference = new Reference(definition(labels));
          if (labels.length === 0) distribution.expect([]);
          for (const [each, observed] of observations) {
            distribution.observe(each, observed);
            reference.observe(each, observed);
          }
          expect(textOf(distribution)).to.equal(await reference.text());
        }),
        { numRuns: 50 },
      );
    });
  }

  it('shows series that are expected with 0', async () => {
    const distribution = new Distribution(definition(LABELS.one));
    const reference = new Reference(definition(LABELS.one));
    for (const each of [distribution, reference]) {
      each.expect(['durable']);
      each.expect(['failed']);
      each.observe(['failed'], 0.7);
    }
    expect(textOf(distribution))
      .to.equal(await reference.text())
      .and.to.include('_count{outcome="durable"} 0\n');
  });

  it('forgets the series of a label value, and those alone, and begins them anew', async () => {
    const distribution = new Distribution(definition(LABELS.three));
    const reference = new Reference(definition(LABELS.three));
    const all = ['GET', 'POST'].flatMap((method) => ['200', '400'].map((status) => [method, '/sign', status]));
    for (const each of [distribution, reference]) for (const labels of all) each.observe(labels, 1);
    distribution.forget('status', '200');
    for (const labels of all) if (labels[2] === '200') reference.remove(labels);
    expect(textOf(distribution)).to.equal(await reference.text());
    for (const each of [distribution, reference]) each.observe(['GET', '/sign', '200'], 2);
    expect(textOf(distribution)).to.equal(await reference.text());
  });

  it('passes over what is no finite number', () => {
    const distribution = new Distribution(definition(LABELS.one));
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      distribution.observe(['durable'], none);
    }
    expect(distribution.family().lines).to.deep.equal([]);
  });

  it('tells how it was when it was asked', () => {
    const distribution = new Distribution(definition(LABELS.none));
    distribution.observe([], 1);
    const family = distribution.family();
    const before = [...expose([family], 'text')].join('');
    distribution.observe([], 1);
    expect([...expose([family], 'text')].join('')).to.equal(before);
    expect(textOf(distribution)).not.to.equal(before);
  });
});
