import type { Algorithm } from '../domain/model/algorithm.ts';
import type { AuditOutcome } from '../domain/model/audit-entry.ts';
import type { ServiceState } from '../domain/model/service-state.ts';

/** Why something was refused or failed: an error code, and its `details.reason` where it has one. Both are words of this service, and never a caller's. */
export interface CountedFault {
  readonly code: string;
  readonly reason: string | null;
}

/** How one attempt to sign or to verify ended. */
export interface EndedAttempt {
  readonly operation: 'sign' | 'verify';
  /** One that is configured; null where the request named another, whose name is its caller's. */
  readonly platformId: string | null;
  /** Of the account; null where there is none. */
  readonly algorithm: Algorithm | null;
  readonly outcome: AuditOutcome;
  /** Null for a success. */
  readonly fault: CountedFault | null;
  /**
   * From the request until its record was durable, or was known not to be; of an item of a batch
   * that time of the batch divided by its items.
   */
  readonly durationMs: number;
}

/** How one HTTP request ended. */
export interface EndedRequest {
  /** Empty where no request line could be read. */
  readonly method: string;
  /** Pattern of the route; null where none took the request. Never a path. */
  readonly route: string | null;
  /** Null where the connection ended before the answer was out. */
  readonly status: number | null;
  /** Null where it was not refused. */
  readonly fault: CountedFault | null;
  readonly durationMs: number;
}

/** How a page of metrics is written: Prometheus' text format 0.0.4, or OpenMetrics 1.0. */
export type MetricsFormat = 'text' | 'openmetrics';

/**
 * Counts what happens, for whoever watches over the service.
 *
 * An adapter MUST NOT throw, wait or take long when it is told something: it is told in the middle of signing. Whatever it is told, the number of its series MUST stay bounded by platforms, algorithms, routes and
 * codes of this service: what a caller made up MUST NOT become one.
 */
export interface Metrics {
  /** An attempt ended; one for each item of a batch. */
  attempted(attempt: EndedAttempt): void;

  /** A batch of so many items was taken on. */
  batched(items: number): void;

  /** A record became durable so many milliseconds after it was handed over; or, `isDurable` being false, was given up then. */
  committed(durationMs: number, isDurable: boolean): void;

  /** An HTTP request ended. */
  answered(request: EndedRequest): void;

  /** These platforms are configured from now on. An adapter MUST forget what it counted of others, and SHOULD show of these that nothing failed, before anything does. */
  configured(platformIds: readonly string[]): void;

  /**
   * All metrics as texts that together are a page. The work of each is well under the time of a
   * request, and other work has its turns between them.
   */
  page(format: MetricsFormat, state: ServiceState): Promise<Iterable<string>>;
}

/** What those are given who tell and don't ask. */
export type Counting = Omit<Metrics, 'page'>;

/** For where nobody counts. */
export const NO_METRICS: Counting = {
  attempted: () => undefined,
  batched: () => undefined,
  committed: () => undefined,
  answered: () => undefined,
  configured: () => undefined,
};
