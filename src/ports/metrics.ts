import type { Attempt } from '../domain/model/attempt.ts';
import type { Permissions } from '../domain/model/permissions.ts';

/** Reason of a refusal or failure: an error code and its `details.reason`, never caller input. */
export interface FailureReason {
  readonly code: string;
  readonly reason: string | null;
}

/** An ended HTTP request. */
export interface EndedRequest {
  /** Empty without a readable request line. */
  readonly method: string;
  /** Route pattern, never a path; null for none. */
  readonly route: string | null;
  /** Null where the connection ended before the response. */
  readonly status: number | null;
  /** Null if not refused. */
  readonly failure: FailureReason | null;
  readonly durationMs: number;
}

/** Name, type and help of a metric, as shown to operators. */
export interface MetricDefinition {
  /** By Prometheus conventions: base units, `_total` for counters. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** Meaning and what to watch. One line, without quotes and backslashes. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

/** One value of a metric, and its labels by name. */
export interface Sample {
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

/** A metric that is not counted by events, and its current values. */
export interface ReadMetric extends MetricDefinition {
  readonly type: 'gauge' | 'counter';
  readonly samples: Iterable<Sample>;
  /** A counter with so many samples that they are read and written a few at a time. */
  readonly isLarge?: boolean;
}

/** The parts of a configuration that counts are by. */
export interface CountedConfiguration {
  readonly platformIds: readonly string[];
  readonly policies: { readonly entries: readonly Named[]; readonly budgets: readonly Named[] };
  readonly permissions: Pick<Permissions, 'entries'>;
}
interface Named {
  readonly name: string;
}

/** Prometheus text format 0.0.4, or OpenMetrics 1.0. */
export type MetricsFormat = 'text' | 'openmetrics';

/**
 * Counts events for monitoring.
 *
 * An adapter MUST NOT throw or wait, because it is called while signing. It MUST bound its series
 * by platforms, policies, budgets, listed principals, algorithms, routes and codes of this service:
 * caller input MUST NOT become a series.
 */
export interface Metrics {
  /**
   * An attempt ended; once for each item of a batch. Its request is caller input.
   * @param durationMs from request to durable (or failed) record; a batch item has its share
   */
  attemptEnded(attempt: Attempt, durationMs: number): void;

  /** A batch was accepted. */
  batchAccepted(items: number): void;

  /** A record became durable, or failed, this long after its submission. */
  recordCommitted(durationMs: number, isDurable: boolean): void;

  /** An HTTP request ended. */
  requestEnded(request: EndedRequest): void;

  /**
   * The configuration in force. An adapter MUST drop counts of platforms, policies, budgets and
   * callers that it does not have, MUST name callers as `CallerNames` does, and SHOULD show zero
   * failures for the others.
   */
  configured(configuration: CountedConfiguration): void;

  /**
   * The counted metrics and those given as parts of one page. Each part takes far less time than a
   * request, and other work runs between them.
   */
  page(format: MetricsFormat, read: readonly ReadMetric[]): Promise<Iterable<string>>;
}
