import type { Attempt } from '../../src/domain/model/attempt.ts';
import type { Permissions } from '../../src/domain/model/permissions.ts';
import type { ServiceState } from '../../src/domain/model/service-state.ts';
import type { EndedRequest, Metrics, MetricsFormat } from '../../src/ports/metrics.ts';

/** Metrics that record their calls. Their page is the state as JSON, in two texts. */
export class RecordingMetrics implements Metrics {
  readonly attempts: Attempt[] = [];
  /** Of the attempts, milliseconds. */
  readonly durations: number[] = [];
  readonly batches: number[] = [];
  readonly commits: { readonly durationMs: number; readonly isDurable: boolean }[] = [];
  readonly requests: EndedRequest[] = [];
  readonly pages: { readonly format: MetricsFormat; readonly state: ServiceState }[] = [];
  /** As configured last. */
  platforms: readonly string[] = [];
  policies: readonly string[] = [];
  budgets: readonly string[] = [];
  callers: readonly string[] = [];

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

  platformsConfigured(platformIds: readonly string[]): void {
    this.platforms = platformIds;
  }

  policiesConfigured(names: readonly string[]): void {
    this.policies = names;
  }

  budgetsConfigured(names: readonly string[]): void {
    this.budgets = names;
  }

  callersConfigured({ entries }: Pick<Permissions, 'entries'>): void {
    this.callers = (entries ?? []).flatMap(({ principals }) => principals);
  }

  async page(format: MetricsFormat, state: ServiceState): Promise<Iterable<string>> {
    this.pages.push({ format, state });
    return [`${format}\n`, JSON.stringify(state.core.configuration)];
  }
}
