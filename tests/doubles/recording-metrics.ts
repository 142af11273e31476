import type { Attempt } from '../../src/domain/model/attempt.ts';
import type {
  CountedConfiguration,
  EndedRequest,
  Metrics,
  MetricsFormat,
  ReadMetric,
} from '../../src/ports/metrics.ts';

/** Metrics that record their calls. Their page is its format. */
export class RecordingMetrics implements Metrics {
  readonly attempts: Attempt[] = [];
  /** Of the attempts, milliseconds. */
  readonly durations: number[] = [];
  readonly batches: number[] = [];
  readonly commits: { readonly durationMs: number; readonly isDurable: boolean }[] = [];
  readonly requests: EndedRequest[] = [];
  /** Values of each page by name of the metric and labels: `signing_x a`. */
  readonly pages: { readonly [series: string]: number }[] = [];
  /** The latest. */
  configuration: CountedConfiguration | null = null;

  attemptEnded(attempt: Attempt, durationMs: number): void {
    this.attempts.push(attempt);
    this.durations.push(durationMs);
  }

  batchAccepted(items: number): void {
    this.batches.push(items);
  }

  recordCommitted(durationMs: number, isDurable: boolean): void {
    this.commits.push({ durationMs, isDurable });
  }

  requestEnded(request: EndedRequest): void {
    this.requests.push(request);
  }

  configured(configuration: CountedConfiguration): void {
    this.configuration = configuration;
  }

  async page(format: MetricsFormat, read: readonly ReadMetric[]): Promise<Iterable<string>> {
    const series = read.flatMap(({ name, samples }) =>
      [...samples].map(({ labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
    );
    this.pages.push(Object.fromEntries(series));
    return [`${format}\n`];
  }
}
