import type { EndedRequest } from './metrics.ts';

/** An ended request to sign or to verify. */
export interface TracedRequest extends EndedRequest {
  /** As `CallContext.traceparent`: the caller's span; null begins a trace. */
  readonly traceparent: string | null;
  readonly correlationId: string;
  /** As the caller named it; null without a readable single request. */
  readonly platformId: string | null;
}

/**
 * Reports served requests to distributed tracing.
 *
 * An adapter MUST NOT throw or wait in `requestEnded`, because it is called while signing. A trace
 * that the caller does not sample (W3C Trace Context §3.2.2.5.1) SHOULD NOT be reported. A report
 * that cannot be delivered is logged at most once a minute and dropped.
 */
export interface Traces {
  /** A request ended at this moment. */
  requestEnded(request: TracedRequest): void;

  /** Delivers the remaining reports; the caller limits the time. Never rejects. */
  close(): Promise<void>;
}
