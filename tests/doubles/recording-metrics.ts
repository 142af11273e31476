import { CallerNames } from '../../src/domain/model/caller-names.ts';
import type { Permissions } from '../../src/domain/model/permissions.ts';
import type { ServiceState } from '../../src/domain/model/service-state.ts';
import type { EndedAttempt, EndedRequest, Metrics, MetricsFormat } from '../../src/ports/metrics.ts';

/** A requested page of a RecordingMetrics. */
export interface RecordedPage {
  readonly format: MetricsFormat;
  readonly state: ServiceState;
}

/** Metrics that record their calls. Their page is the state as JSON, in two texts. */
export class RecordingMetrics implements Metrics {
  readonly attempts: EndedAttempt[] = [];
  readonly batches: number[] = [];
  readonly commits: { readonly durationMs: number; readonly isDurable: boolean }[] = [];
  readonly requests: EndedRequest[] = [];
  readonly pages: RecordedPage[] = [];
  /** Of the last `policiesConfigured`. */
  policies: readonly string[] = [];
  /** Of the last `budgetsConfigured`. */
  budgets: readonly string[] = [];
  #platforms: ReadonlySet<string> = new Set();
  #callers = new CallerNames([]);
  #callerAttempts: { readonly caller: string; readonly code: string | null }[] = [];

  attemptEnded(attempt: EndedAttempt): void {
    const isConfigured = attempt.platformId !== null && this.#platforms.has(attempt.platformId);
    this.attempts.push(isConfigured ? attempt : { ...attempt, platformId: null });
    if (attempt.operation !== 'sign') return;
    this.#callerAttempts.push({
      caller: this.#callers.nameOf(attempt.principal),
      code: attempt.failure?.code ?? null,
    });
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
    this.#platforms = new Set(platformIds);
    const kept = this.attempts.filter(({ platformId }) => platformId === null || this.#platforms.has(platformId));
    this.attempts.splice(0, this.attempts.length, ...kept);
  }

  policiesConfigured(names: readonly string[]): void {
    this.policies = names;
  }

  budgetsConfigured(names: readonly string[]): void {
    this.budgets = names;
  }

  callersConfigured({ entries }: Pick<Permissions, 'entries'>): void {
    const names = new CallerNames((entries ?? []).flatMap(({ principals }) => principals));
    this.#callers = names;
    this.#callerAttempts = this.#callerAttempts.filter(({ caller }) => names.all.has(caller));
  }

  /** Names of callers after the last `callersConfigured`. */
  get callerNames(): readonly string[] {
    return [...this.#callers.all];
  }

  /** Attempts to sign by the names of callers; code: of an error. */
  get callerAttempts(): readonly { readonly caller: string; readonly code: string | null }[] {
    return this.#callerAttempts;
  }

  /** Platforms of the last `configured`. */
  get platforms(): readonly string[] {
    return [...this.#platforms];
  }

  async page(format: MetricsFormat, state: ServiceState): Promise<Iterable<string>> {
    this.pages.push({ format, state });
    return [`${format}\n`, JSON.stringify(state.core.configuration)];
  }
}
