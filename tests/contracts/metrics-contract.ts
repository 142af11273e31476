import { expect } from 'chai';
import type { EndedAttempt, EndedRequest, Metrics } from '../../src/ports/metrics.ts';
import { quietState } from '../doubles/quiet-state.ts';

/** Attempts that ended alike. */
export interface CountedAttempts {
  readonly operation: string;
  /** Null for unknown platforms. */
  readonly platformId: string | null;
  readonly algorithm: string | null;
  readonly outcome: string;
  readonly count: number;
}

/** A fresh Metrics, and its counts. */
export interface MetricsHarness {
  readonly metrics: Metrics;
  attempts(): Promise<readonly CountedAttempts[]>;
  /** Items of all batches. */
  batchItems(): Promise<number>;
  commits(): Promise<{ readonly durable: number; readonly failed: number }>;
  /** Responses of the route with this status. */
  requests(route: string | null, status: number | null): Promise<number>;
}

const SIGNED: EndedAttempt = {
  operation: 'sign',
  platformId: 'alpha',
  algorithm: 'ed25519',
  outcome: 'success',
  fault: null,
  durationMs: 1.5,
};

const ANSWERED: EndedRequest = { method: 'POST', route: '/api/v1/sign', status: 200, fault: null, durationMs: 2 };

/** Contract of every Metrics. */
export function describeMetricsContract(name: string, make: () => MetricsHarness): void {
  describe(`Metrics contract: ${name}`, () => {
    let harness: MetricsHarness;
    let metrics: Metrics;

    beforeEach(() => {
      harness = make();
      metrics = harness.metrics;
      metrics.configured(['alpha', 'beta']);
    });

    const shown = async () =>
      (await harness.attempts()).filter(({ count }) => count > 0).map(({ count, ...rest }) => [count, rest] as const);

    it('counts attempts by operation, platform, algorithm and outcome', async () => {
      const { operation, platformId, algorithm, outcome } = SIGNED;
      const like = { operation, platformId, algorithm, outcome };
      metrics.attempted(SIGNED);
      metrics.attempted(SIGNED);
      metrics.attempted({ ...SIGNED, operation: 'verify' });
      metrics.attempted({ ...SIGNED, platformId: 'beta', algorithm: 'eip191' });
      metrics.attempted({ ...SIGNED, outcome: 'failed', fault: { code: 'SIGNATURE_FAILED', reason: null } });
      expect(await shown()).to.have.deep.members([
        [2, like],
        [1, { ...like, operation: 'verify' }],
        [1, { ...like, platformId: 'beta', algorithm: 'eip191' }],
        [1, { ...like, outcome: 'failed' }],
      ]);
    });

    it('counts attempts that name no platform or account as those of none', async () => {
      const fault = { code: 'PLATFORM_NOT_SUPPORTED', reason: null };
      metrics.attempted({ ...SIGNED, platformId: null, algorithm: null, outcome: 'refused', fault });
      expect(await shown()).to.deep.equal([
        [1, { operation: 'sign', platformId: null, algorithm: null, outcome: 'refused' }],
      ]);
    });

    it('makes no series of platforms that are not configured', async () => {
      for (let index = 0; index < 100; index += 1) metrics.attempted({ ...SIGNED, platformId: `made-up-${index}` });
      const platforms = (await harness.attempts()).map(({ platformId }) => platformId);
      expect(new Set(platforms.filter((id) => id?.startsWith('made-up') === true)).size).to.equal(0);
    });

    it('forgets what it counted of a platform that is configured no more, and nothing else', async () => {
      const platforms = async () => new Set((await shown()).map(([, { platformId }]) => platformId));
      metrics.attempted({ ...SIGNED, outcome: 'refused', fault: { code: 'FORBIDDEN', reason: 'PERMISSION_DENIED' } });
      metrics.attempted({ ...SIGNED, platformId: 'beta' });
      metrics.configured(['beta', 'gamma']);
      expect(await platforms()).to.deep.equal(new Set(['beta']));
      metrics.configured(['alpha', 'beta']);
      expect(await platforms()).to.deep.equal(new Set(['beta']));
      metrics.attempted(SIGNED);
      expect(await shown()).to.deep.include([
        1,
        { operation: 'sign', platformId: 'alpha', algorithm: 'ed25519', outcome: 'success' },
      ]);
    });

    it('adds up the items of batches', async () => {
      for (const items of [1, 20, 10_000]) metrics.batched(items);
      expect(await harness.batchItems()).to.equal(10_021);
    });

    it('distinguishes durable records from failed ones', async () => {
      metrics.committed(0.8, true);
      metrics.committed(3, true);
      metrics.committed(2000, false);
      expect(await harness.commits()).to.deep.equal({ durable: 2, failed: 1 });
    });

    it('counts requests by route and status, those that no route took and those without a response included', async () => {
      metrics.answered(ANSWERED);
      metrics.answered({ ...ANSWERED, status: 429, fault: { code: 'RATE_LIMITED', reason: 'caller' } });
      metrics.answered({ ...ANSWERED, route: null, status: 404 });
      metrics.answered({ ...ANSWERED, status: null });
      for (const [route, status] of [
        [ANSWERED.route, 200],
        [ANSWERED.route, 429],
        [null, 404],
        [ANSWERED.route, null],
      ] as const) {
        expect(await harness.requests(route, status), `${route} ${status}`).to.equal(1);
      }
    });

    for (const format of ['text', 'openmetrics'] as const) {
      it(`makes a page in the format ${format}, before anything was recorded, and any number at once`, async () => {
        const pages = await Promise.all(Array.from({ length: 5 }, () => make().metrics.page(format, quietState())));
        for (const page of pages) expect([...page].join('')).not.to.equal('');
      });
    }

    it('is not changed by rendering a page', async () => {
      metrics.attempted(SIGNED);
      const before = await harness.attempts();
      for (const format of ['openmetrics', 'text', 'openmetrics'] as const) {
        for (const text of await metrics.page(format, quietState())) expect(text).to.be.a('string');
      }
      expect(await harness.attempts()).to.deep.equal(before);
    });
  });
}
