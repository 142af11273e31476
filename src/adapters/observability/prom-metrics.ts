import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import { ATTEMPT_OPERATIONS, type Attempt, getAlgorithm, toAuditOutcome } from '../../domain/model/attempt.ts';
import { CallerNames } from '../../domain/model/caller-names.ts';
import type { PolicyDecision } from '../../domain/model/policy.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import type {
  CountedConfiguration,
  EndedRequest,
  MetricDefinition,
  Metrics,
  MetricsFormat,
  ReadMetric,
  Sample,
} from '../../ports/metrics.ts';
import { COUNTED_METRICS } from './counted-metrics.ts';
import { processRegistry } from './process-registry.ts';

/** Label value for none; never an id. */
const NONE = '(none)';

/** All other methods share one label value. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = '(other)';

const CONTENT_TYPES = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;

const MS_PER_SECOND = 1000;

/** Account series per event-loop tick: about a millisecond. */
const SLICE = 250;

/** Values of the label `decision`. */
const DECISIONS = ['allowed', 'denied', 'would_deny'] as const;

/** Failures initialised to 0: `increase()` ignores the first value of a new series. */
const UNEXPECTED_ERRORS = [
  { code: 'SIGNATURE_FAILED', reason: NONE },
  { code: 'SIGNATURE_FAILED', reason: 'AUDIT_UNAVAILABLE' },
  { code: 'SIGNATURE_FAILED', reason: 'SIGNATURE_FAULTY' },
] as const;
const UNEXPECTED_REFUSALS = ['INTERNAL_ERROR', 'OVERLOADED'] as const;

/** Before the first configuration. */
const NOTHING: CountedConfiguration = {
  platformIds: [],
  policies: { entries: [], budgets: [] },
  permissions: { entries: null },
};

/**
 * Metrics by prom-client: events are counted, all else is read at scrape time
 * (docs/decisions/0018-observability.md).
 */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #attempts = histogram(COUNTED_METRICS.attempts, this.#registry);
  readonly #errors = counter(COUNTED_METRICS.errors, this.#registry);
  readonly #decisions = counter(COUNTED_METRICS.decisions, this.#registry);
  readonly #budgetRefusals = counter(COUNTED_METRICS.budgets, this.#registry);
  readonly #batches = histogram(COUNTED_METRICS.batches, this.#registry);
  readonly #commits = histogram(COUNTED_METRICS.commits, this.#registry);
  readonly #requests = histogram(COUNTED_METRICS.requests, this.#registry);
  readonly #refusals = counter(COUNTED_METRICS.refusals, this.#registry);
  /** Null: callers are not counted. */
  readonly #callers: { readonly signatures: Counter<'caller'>; readonly errors: Counter<'caller' | 'code'> } | null;
  #callerNames = new CallerNames([]);
  /** Configured values by label. */
  #names = toNames(NOTHING, this.#callerNames);
  /** Done once the series of earlier names are dropped. */
  #dropped: Promise<void> = Promise.resolve();

  /** @param options.namesCallers whether to count signatures and errors by caller */
  constructor({ namesCallers = false }: { readonly namesCallers?: boolean } = {}) {
    this.#callers = namesCallers
      ? {
          signatures: counter(COUNTED_METRICS.callerSignatures, this.#registry),
          errors: counter(COUNTED_METRICS.callerErrors, this.#registry),
        }
      : null;
    for (const outcome of ['durable', 'failed']) this.#commits.zero({ outcome });
    for (const code of UNEXPECTED_REFUSALS) this.#refusals.inc({ code, reason: NONE }, 0);
    this.configured(NOTHING);
  }

  attemptEnded(attempt: Attempt, durationMs: number): void {
    const { operation, decision, budgets, context, outcome } = attempt;
    const platformId = attempt.platform?.platformId ?? NONE;
    const platform = this.#names.platform.has(platformId) ? platformId : NONE;
    const labels = { operation, platform, algorithm: getAlgorithm(attempt) ?? NONE, outcome: toAuditOutcome(outcome) };
    this.#attempts.observe(labels, durationMs / MS_PER_SECOND);
    const refusal = outcome?.ok === false ? outcome.refusal : null;
    // Nothing follows from the decision of a dry run.
    if (operation === 'sign') {
      if (decision !== null) this.#countDecision(decision);
      for (const budget of budgets) if (this.#names.budget.has(budget)) this.#budgetRefusals.inc({ budget });
      this.#countCaller(context.principal, refusal);
    }
    if (refusal === null) return;
    const { code, details } = refusal;
    const reason = typeof details['reason'] === 'string' ? details['reason'] : NONE;
    this.#errors.inc({ operation, platform, code, reason });
  }

  batchAccepted(items: number): void {
    this.#batches.observe(items);
  }

  recordCommitted(durationMs: number, isDurable: boolean): void {
    this.#commits.observe({ outcome: isDurable ? 'durable' : 'failed' }, durationMs / MS_PER_SECOND);
  }

  requestEnded({ method, route, status, failure, durationMs }: EndedRequest): void {
    const labels = {
      method: METHODS.has(method) ? method : OTHER_METHOD,
      route: route ?? NONE,
      status: status === null ? NONE : String(status),
    };
    this.#requests.observe(labels, durationMs / MS_PER_SECOND);
    if (failure !== null) this.#refusals.inc({ code: failure.code, reason: failure.reason ?? NONE });
  }

  configured(configuration: CountedConfiguration): void {
    const { platformIds, permissions } = configuration;
    this.#callerNames = new CallerNames((permissions.entries ?? []).flatMap(({ principals }) => principals));
    this.#names = toNames(configuration, this.#callerNames);
    for (const platform of platformIds) {
      for (const operation of ATTEMPT_OPERATIONS) {
        for (const failure of UNEXPECTED_ERRORS) this.#errors.inc({ operation, platform, ...failure }, 0);
      }
    }
    for (const policy of this.#names.policy) {
      for (const decision of DECISIONS) this.#decisions.inc({ policy, decision }, 0);
    }
    for (const budget of this.#names.budget) this.#budgetRefusals.inc({ budget }, 0);
    for (const caller of this.#names.caller) this.#callers?.signatures.inc({ caller }, 0);
    this.#dropped = this.#dropOthers();
  }

  async page(format: MetricsFormat, metrics: readonly ReadMetric[]): Promise<Iterable<string>> {
    await this.#dropped;
    const large: string[] = [];
    const read = new Registry();
    for (const metric of metrics) {
      if (metric.isLarge) large.push(...(await writeInSlices(metric, format)));
      else register(metric, read);
    }
    const all = Registry.merge([this.#registry, read, processRegistry()]);
    return [...large, await (format === 'text' ? all.metrics() : openMetrics(all))];
  }

  #countCaller(principal: string | null, refusal: Refusal | null): void {
    const caller = this.#callerNames.nameOf(principal);
    if (refusal === null) this.#callers?.signatures.inc({ caller });
    else this.#callers?.errors.inc({ caller, code: refusal.code });
  }

  /** Policies of an earlier configuration are no longer counted. */
  #countDecision({ isAllowed, policies, wouldDeny }: PolicyDecision): void {
    const decision = isAllowed ? 'allowed' : 'denied';
    for (const policy of policies) if (this.#names.policy.has(policy)) this.#decisions.inc({ policy, decision });
    for (const policy of wouldDeny) {
      if (this.#names.policy.has(policy)) this.#decisions.inc({ policy, decision: 'would_deny' });
    }
  }

  /** Drops the series of names that are not configured. */
  async #dropOthers(): Promise<void> {
    const byName = [this.#attempts, this.#errors, this.#decisions, this.#budgetRefusals];
    for (const metric of [...byName, ...Object.values(this.#callers ?? {})] as readonly Counter[]) {
      for (const { labels } of (await metric.get()).values) {
        const { le: _bucket, ...series } = labels;
        const isOther = Object.entries(this.#names).some(([label, names]) => {
          const name = series[label];
          return name !== undefined && !names.has(String(name));
        });
        if (isOther) metric.remove(series);
      }
    }
  }
}

function toNames({ platformIds, policies }: CountedConfiguration, callers: CallerNames) {
  return {
    platform: new Set([...platformIds, NONE]),
    policy: new Set(policies.entries.map(({ name }) => name)),
    budget: new Set(policies.budgets.map(({ name }) => name)),
    caller: callers.all,
  };
}

function histogram<Name extends string>(
  { name, help, labels, buckets }: MetricDefinition & { readonly labels: readonly Name[] },
  registry: Registry,
): Histogram<Name> {
  return new Histogram({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    ...(buckets === undefined ? {} : { buckets: [...buckets] }),
  });
}

function counter<Name extends string>(
  { name, help, labels }: MetricDefinition & { readonly labels: readonly Name[] },
  registry: Registry,
): Counter<Name> {
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] });
}

/** Registers a metric with the values that were read. */
function register({ name, type, help, labels, samples }: ReadMetric, registry: Registry): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  const metric = type === 'gauge' ? new Gauge(options) : new Counter(options);
  // Without labels, it begins with the value 0.
  metric.remove({});
  for (const sample of samples) metric.inc(sample.labels, sample.value);
}

/**
 * The OpenMetrics page, from copies: prom-client strips `_total` from its own counters, so later
 * text pages would lack it (prom-client pull request 829).
 */
async function openMetrics(registry: Registry): Promise<string> {
  const copies = (await registry.getMetricsAsJSON()).map((metric) => ({
    ...metric,
    name: openMetricsName(metric.name),
    aggregator: 'first',
  }));
  const page = AggregatorRegistry.aggregate<OpenMetricsContentType>([copies]);
  page.setContentType(CONTENT_TYPES.openmetrics);
  return page.metrics();
}

/** The name of a counter in OpenMetrics; its samples have `_total`. */
function openMetricsName(name: string): string {
  return name.replace(/_total$/, '');
}

/** Writes a large counter, one slice per event-loop tick. Only the first text has name and help. */
async function writeInSlices(
  { name, help, labels, samples }: ReadMetric,
  format: MetricsFormat,
): Promise<readonly string[]> {
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(CONTENT_TYPES[format]);
  const shown = format === 'text' ? name : openMetricsName(name);
  const metric = new Counter({ name: shown, help, labelNames: [...labels], registers: [registry] });
  const texts: string[] = [];
  for (const slice of slices(samples)) {
    metric.reset();
    for (const sample of slice) metric.inc(sample.labels, sample.value);
    const text = `${await registry.getSingleMetricAsString(shown)}\n`;
    texts.push(texts.length === 0 ? text : text.replace(/^(?:#.*\n)+/, ''));
    await nextTurn();
  }
  return texts;
}

/** At least one, perhaps empty. */
function* slices(samples: Iterable<Sample>): Generator<readonly Sample[]> {
  let slice: Sample[] = [];
  for (const sample of samples) {
    if (slice.length === SLICE) {
      yield slice;
      slice = [];
    }
    slice.push(sample);
  }
  yield slice;
}
