import { expect } from 'chai';
import { NO_POLICY_APPLIES } from '../../src/domain/model/policy.ts';
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

/** Attempts to sign of one caller. */
export interface CallerCounts {
  readonly signatures: number;
  /** By code; codes without errors are absent. */
  readonly errors: { readonly [code: string]: number };
}

/** A fresh Metrics that counts by caller, and its counts. */
export interface MetricsHarness {
  readonly metrics: Metrics;
  attempts(): Promise<readonly CountedAttempts[]>;
  /** Items of all batches. */
  batchItems(): Promise<number>;
  commits(): Promise<{ readonly durable: number; readonly failed: number }>;
  /** By the names of callers; those without attempts may be absent. */
  callers(): Promise<{ readonly [caller: string]: CallerCounts }>;
  /** Responses of the route with this status. */
  requests(route: string | null, status: number | null): Promise<number>;
}

const SIGNED: EndedAttempt = {
  operation: 'sign',
  platformId: 'alpha',
  algorithm: 'ed25519',
  outcome: 'success',
  decision: NO_POLICY_APPLIES,
  budgets: [],
  principal: null,
  failure: null,
  durationMs: 1.5,
};

const REQUEST: EndedRequest = { method: 'POST', route: '/api/v1/sign', status: 200, failure: null, durationMs: 2 };

/** Contract of every Metrics. */
export function describeMetricsContract(name: string, make: () => MetricsHarness): void {
  describe(`Metrics contract: ${name}`, () => {
    let harness: MetricsHarness;
    let metrics: Metrics;

    beforeEach(() => {
      harness = make();
      metrics = harness.metrics;
      metrics.platformsConfigured(['alpha', 'beta']);
    });

    const shown = async () =>
      (await harness.attempts()).filter(({ count }) => count > 0).map(({ count, ...rest }) => [count, rest] as const);

    it('counts attempts by operation, platform, algorithm and outcome', async () => {
      const { operation, platformId, algorithm, outcome } = SIGNED;
      const like = { operation, platformId, algorithm, outcome };
      metrics.attemptEnded(SIGNED);
      metrics.attemptEnded(SIGNED);
      metrics.attemptEnded({ ...SIGNED, operation: 'verify' });
      metrics.attemptEnded({ ...SIGNED, platformId: 'beta', algorithm: 'eip191' });
      metrics.attemptEnded({ ...SIGNED, outcome: 'failed', failure: { code: 'SIGNATURE_FAILED', reason: null } });
      expect(await shown()).to.have.deep.members([
        [2, like],
        [1, { ...like, operation: 'verify' }],
        [1, { ...like, platformId: 'beta', algorithm: 'eip191' }],
        [1, { ...like, outcome: 'failed' }],
      ]);
    });

    it('counts attempts without a platform and algorithm under null', async () => {
      const failure = { code: 'PLATFORM_NOT_SUPPORTED', reason: null };
      metrics.attemptEnded({ ...SIGNED, platformId: null, algorithm: null, outcome: 'refused', failure });
      expect(await shown()).to.deep.equal([
        [1, { operation: 'sign', platformId: null, algorithm: null, outcome: 'refused' }],
      ]);
    });

    it('creates no series for unconfigured platforms', async () => {
      for (let index = 0; index < 100; index += 1) metrics.attemptEnded({ ...SIGNED, platformId: `made-up-${index}` });
      const platforms = (await harness.attempts()).map(({ platformId }) => platformId);
      expect(new Set(platforms.filter((id) => id?.startsWith('made-up') === true)).size).to.equal(0);
    });

    it('drops only the counts of a platform that is no longer configured', async () => {
      const platforms = async () => new Set((await shown()).map(([, { platformId }]) => platformId));
      metrics.attemptEnded({
        ...SIGNED,
        outcome: 'refused',
        failure: { code: 'FORBIDDEN', reason: 'PERMISSION_DENIED' },
      });
      metrics.attemptEnded({ ...SIGNED, platformId: 'beta' });
      metrics.platformsConfigured(['beta', 'gamma']);
      expect(await platforms()).to.deep.equal(new Set(['beta']));
      metrics.platformsConfigured(['alpha', 'beta']);
      expect(await platforms()).to.deep.equal(new Set(['beta']));
      metrics.attemptEnded(SIGNED);
      expect(await shown()).to.deep.include([
        1,
        { operation: 'sign', platformId: 'alpha', algorithm: 'ed25519', outcome: 'success' },
      ]);
    });

    describe('by caller', () => {
      const allow = (...principals: readonly string[]) =>
        metrics.callersConfigured({ entries: [{ principals, operations: ['sign'], accounts: ['*/*'] }] });
      const refuse = (principal: string | null, code: string) =>
        metrics.attemptEnded({ ...SIGNED, principal, outcome: 'refused', failure: { code, reason: null } });
      const callers = async () =>
        Object.fromEntries(
          Object.entries(await harness.callers()).filter(
            ([, { signatures, errors }]) => signatures > 0 || Object.keys(errors).length > 0,
          ),
        );

      it('counts signatures, and errors by code', async () => {
        allow('desk-7', 'desk-8');
        for (const principal of ['desk-7', 'desk-7', 'desk-8']) metrics.attemptEnded({ ...SIGNED, principal });
        for (const code of ['FORBIDDEN', 'POLICY_DENIED', 'FORBIDDEN']) refuse('desk-7', code);
        expect(await callers()).to.deep.equal({
          'desk-7': { signatures: 2, errors: { FORBIDDEN: 2, POLICY_DENIED: 1 } },
          'desk-8': { signatures: 1, errors: {} },
        });
      });

      it('counts attempts to sign only', async () => {
        allow('desk-7');
        for (const operation of ['dry-run', 'verify'] as const) {
          metrics.attemptEnded({ ...SIGNED, operation, principal: 'desk-7' });
        }
        expect(await callers()).to.deep.equal({});
      });

      it('names a caller by the longest listed pattern, others together, and anonymous ones', async () => {
        allow('*-1', 'bot-*', 'bot-1');
        for (const principal of ['bot-1', 'bot-2', 'bot-3', 'desk-1', 'desk-2', 'desk-3', null]) {
          metrics.attemptEnded({ ...SIGNED, principal });
        }
        const signatures = Object.entries(await callers()).map(([caller, counts]) => [caller, counts.signatures]);
        expect(Object.fromEntries(signatures)).to.deep.equal({
          ...{ 'bot-1': 1, 'bot-*': 2, '*-1': 1, '(other)': 2, anonymous: 1 },
        });
      });

      it('names nobody without a permissions list, or for names that callers make up', async () => {
        metrics.callersConfigured({ entries: null });
        for (let index = 0; index < 2000; index += 1) refuse(`made-up-${index}`, 'FORBIDDEN');
        refuse(null, 'FORBIDDEN');
        expect(await callers()).to.deep.equal({
          '(other)': { signatures: 0, errors: { FORBIDDEN: 2000 } },
          anonymous: { signatures: 0, errors: { FORBIDDEN: 1 } },
        });
      });

      it('drops only the counts of callers that are no longer listed', async () => {
        allow('desk-7', 'bot-*');
        for (const principal of ['desk-7', 'bot-1', 'desk-9']) metrics.attemptEnded({ ...SIGNED, principal });
        refuse('bot-1', 'POLICY_DENIED');
        allow('desk-7', 'bot-1');
        const left = { 'desk-7': { signatures: 1, errors: {} }, '(other)': { signatures: 1, errors: {} } };
        expect(await callers()).to.deep.equal(left);
        allow('desk-7', 'bot-*');
        expect(await callers()).to.deep.equal(left);
      });
    });

    it('sums the items of batches', async () => {
      for (const items of [1, 20, 10_000]) metrics.batchAccepted(items);
      expect(await harness.batchItems()).to.equal(10_021);
    });

    it('distinguishes durable records from failed ones', async () => {
      metrics.recordCommitted(0.8, true);
      metrics.recordCommitted(3, true);
      metrics.recordCommitted(2000, false);
      expect(await harness.commits()).to.deep.equal({ durable: 2, failed: 1 });
    });

    it('counts requests by route and status, including those without a route or a response', async () => {
      metrics.requestEnded(REQUEST);
      metrics.requestEnded({ ...REQUEST, status: 429, failure: { code: 'RATE_LIMITED', reason: 'caller' } });
      metrics.requestEnded({ ...REQUEST, route: null, status: 404 });
      metrics.requestEnded({ ...REQUEST, status: null });
      for (const [route, status] of [
        [REQUEST.route, 200],
        [REQUEST.route, 429],
        [null, 404],
        [REQUEST.route, null],
      ] as const) {
        expect(await harness.requests(route, status), `${route} ${status}`).to.equal(1);
      }
    });

    for (const format of ['text', 'openmetrics'] as const) {
      it(`renders ${format} pages before anything is recorded, also concurrently`, async () => {
        const pages = await Promise.all(Array.from({ length: 5 }, () => make().metrics.page(format, quietState())));
        for (const page of pages) expect([...page].join('')).not.to.equal('');
      });
    }

    it('is not changed by rendering a page', async () => {
      metrics.attemptEnded(SIGNED);
      const before = await harness.attempts();
      for (const format of ['openmetrics', 'text', 'openmetrics'] as const) {
        for (const text of await metrics.page(format, quietState())) expect(text).to.be.a('string');
      }
      expect(await harness.attempts()).to.deep.equal(before);
    });
  });
}
