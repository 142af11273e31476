import { expect } from 'chai';
import type { TracedRequest, Traces } from '../../src/ports/traces.ts';

/** A reported span. */
export interface ReportedSpan {
  readonly name: string;
  readonly traceId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly attributes: { readonly [name: string]: string | number };
}

/** An adapter under test. */
export interface TracesUnderTest {
  readonly traces: Traces;
  /** What was reported, after `close`. */
  reported(): readonly ReportedSpan[];
  dispose(): Promise<void>;
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** A request without surprises. */
export const TRACED: TracedRequest = {
  method: 'POST',
  route: '/api/v1/sign',
  status: 200,
  failure: null,
  durationMs: 12.5,
  traceparent: `00-${TRACE}-${PARENT}-01`,
  correlationId: 'order-1',
  platformId: 'alpha',
};

/** Behavior of every adapter of {@link Traces}. */
export function describeTracesContract(name: string, make: () => Promise<TracesUnderTest>): void {
  describe(`${name} as Traces`, () => {
    async function report(...requests: readonly Partial<TracedRequest>[]): Promise<readonly ReportedSpan[]> {
      const { traces, reported, dispose } = await make();
      try {
        for (const request of requests) traces.requestEnded({ ...TRACED, ...request });
        await traces.close();
        return reported();
      } finally {
        await dispose();
      }
    }

    it("continues the caller's trace, with the facts of the request and nothing else", async () => {
      const [span, ...others] = await report({});
      expect(others).to.deep.equal([]);
      const { durationMs, ...rest } = span ?? expect.fail();
      expect(durationMs).to.be.closeTo(12.5, 0.01);
      expect(rest).to.deep.equal({
        name: 'POST /api/v1/sign',
        traceId: TRACE,
        parentId: PARENT,
        isError: false,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/api/v1/sign',
          'http.response.status_code': 200,
          'signing.correlation_id': 'order-1',
          'signing.outcome': 'success',
          'signing.platform_id': 'alpha',
        },
      });
    });

    it('begins a trace for each request without a parent', async () => {
      const spans = await report({ traceparent: null }, { traceparent: null });
      expect(spans.map(({ parentId }) => parentId)).to.deep.equal(['', '']);
      expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(2);
      for (const { traceId } of spans) expect(traceId).to.match(/^(?!0{32})[0-9a-f]{32}$/);
    });

    it('reports nothing that the caller does not sample', async () => {
      expect(await report({ traceparent: `00-${TRACE}-${PARENT}-00` })).to.deep.equal([]);
    });

    it('names code and reason of a refusal, which is an error only if the service is at fault', async () => {
      const [refused, failed] = await report(
        { status: 400, failure: { code: 'POLICY_DENIED', reason: null } },
        { status: 500, failure: { code: 'SIGNATURE_FAILED', reason: 'AUDIT_UNAVAILABLE' } },
      );
      expect(refused).to.deep.include({ isError: false });
      expect(refused?.attributes).to.include({ 'signing.outcome': 'refused', 'signing.error_code': 'POLICY_DENIED' });
      expect(refused?.attributes).to.not.have.any.keys('error.type', 'signing.error_reason');
      expect(failed).to.deep.include({ isError: true });
      expect(failed?.attributes).to.include({
        'signing.outcome': 'failed',
        'signing.error_code': 'SIGNATURE_FAILED',
        'signing.error_reason': 'AUDIT_UNAVAILABLE',
        'error.type': 'SIGNATURE_FAILED',
      });
    });

    it('shows a connection that ended before the response', async () => {
      const [span] = await report({ status: null, platformId: null, route: null });
      expect(span).to.deep.include({ name: 'POST', isError: true });
      expect(span?.attributes).to.deep.equal({
        'http.request.method': 'POST',
        'signing.correlation_id': 'order-1',
        'signing.outcome': 'aborted',
      });
    });
  });
}
