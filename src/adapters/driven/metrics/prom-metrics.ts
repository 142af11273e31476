import { Counter, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { REFUSAL_CODES } from '../../../domain/model/refusal.ts';
import type { ServiceState } from '../../../domain/model/service-state.ts';
import type { EndedAttempt, EndedRequest, Metrics, MetricsFormat } from '../../../ports/metrics.ts';
import { COUNTED_METRICS } from './definitions/counted-metrics.ts';
import { READ_METRICS } from './definitions/read-metrics.ts';
import { Distribution } from './distribution.ts';
import { expose, type MetricFamily } from './exposition.ts';
import type { CountedMetric, Labels, ReadMetric } from './metric-definition.ts';
import { processRegistry } from './process-registry.ts';

/** Stands for what there is none of; no id can be that. */
const NONE = '(none)';

/** Other methods, of which Node knows thirty, are one. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = '(other)';

const MS_PER_SECOND = 1000;

/** Label values of {@link COUNTED_METRICS}.commits. */
const DURABLE = ['durable'] as const;
const NOT_DURABLE = ['failed'] as const;

/** In which the page has what is counted. */
const ORDER: readonly string[] = Object.values(COUNTED_METRICS).map(({ name }) => name);

const OPERATIONS = ['sign', 'verify'] as const satisfies readonly EndedAttempt['operation'][];

/** What nobody waits for: shown as 0 before it happens, since a series that begins with 1 is no rise to who looks for one. */
const AWAITED_FAULTS = [
  { code: 'SIGNATURE_FAILED', reason: NONE },
  { code: 'SIGNATURE_FAILED', reason: 'AUDIT_UNAVAILABLE' },
  { code: 'SIGNATURE_FAILED', reason: 'SIGNATURE_FAULTY' },
] as const;
const AWAITED_REFUSALS = ['INTERNAL_ERROR', 'OVERLOADED'] as const;

type Json = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/**
 * What is counted is kept in histograms of this service and in prom-client's counters, what is read is read for each page, what the process is known by comes from prom-client, and the page is written
 * here (docs/decisions/0018-metrics.md).
 */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #attempts = new Distribution(COUNTED_METRICS.attempts);
  readonly #faults = counter(COUNTED_METRICS.faults, this.#registry);
  readonly #batches = new Distribution(COUNTED_METRICS.batches);
  readonly #commits = new Distribution(COUNTED_METRICS.commits);
  readonly #requests = new Distribution(COUNTED_METRICS.requests);
  readonly #refusals = counter(COUNTED_METRICS.refusals, this.#registry);
  readonly #process = processRegistry();
  readonly #reasons = new Set<string>([NONE]);
  #platforms: ReadonlySet<string> = new Set();

  constructor() {
    this.#batches.expect([]);
    for (const labels of [DURABLE, NOT_DURABLE]) this.#commits.expect(labels);
    for (const code of AWAITED_REFUSALS) this.#refusals.inc({ code, reason: NONE }, 0);
  }

  attempted({ operation, platformId, algorithm, outcome, fault, durationMs }: EndedAttempt): void {
    const platform = platformId !== null && this.#platforms.has(platformId) ? platformId : NONE;
    this.#attempts.observe([operation, platform, algorithm ?? NONE, outcome], durationMs / MS_PER_SECOND);
    if (fault === null) return;
    const { code, reason } = fault;
    if (reason !== null) this.#reasons.add(reason);
    this.#faults.inc({ operation, platform, code, reason: reason ?? NONE });
  }

  batched(items: number): void {
    this.#batches.observe([], items);
  }

  committed(durationMs: number, isDurable: boolean): void {
    this.#commits.observe(isDurable ? DURABLE : NOT_DURABLE, durationMs / MS_PER_SECOND);
  }

  answered({ method, route, status, fault, durationMs }: EndedRequest): void {
    const known = METHODS.has(method) ? method : OTHER_METHOD;
    const labels = [known, route ?? NONE, status === null ? NONE : String(status)];
    this.#requests.observe(labels, durationMs / MS_PER_SECOND);
    if (fault !== null) this.#refusals.inc({ code: fault.code, reason: fault.reason ?? NONE });
  }

  configured(platformIds: readonly string[]): void {
    const configured = new Set(platformIds);
    for (const platform of this.#platforms) if (!configured.has(platform)) this.#forget(platform);
    for (const platform of configured) if (!this.#platforms.has(platform)) this.#expect(platform);
    this.#platforms = configured;
  }

  async page(format: MetricsFormat, state: ServiceState): Promise<Iterable<string>> {
    const [counters, process] = await Promise.all([valuesOf(this.#registry), valuesOf(this.#process)]);
    const told = [
      ...[this.#attempts, this.#batches, this.#commits, this.#requests].map((each) => each.family()),
      ...counters,
    ];
    const counted = ORDER.flatMap((name) => told.filter((family) => family.name === name));
    const read = Object.values(READ_METRICS).flat();
    return expose([...counted, ...read.map((metric) => readFamily(metric, state)), ...process], format);
  }

  #expect(platform: string): void {
    for (const operation of OPERATIONS) {
      for (const fault of AWAITED_FAULTS) this.#faults.inc({ operation, platform, ...fault }, 0);
    }
  }

  #forget(platform: string): void {
    this.#attempts.forget('platform', platform);
    for (const operation of OPERATIONS) {
      for (const code of REFUSAL_CODES) {
        for (const reason of [...this.#reasons, ...AWAITED_FAULTS.map((fault) => fault.reason)]) {
          this.#faults.remove({ operation, platform, code, reason });
        }
      }
    }
  }
}

function counter<Name extends string>(
  { name, help, labels }: CountedMetric & { readonly labels: readonly Name[] },
  registry: Registry,
): Counter<Name> {
  return new Counter({ name, help, labelNames: [...labels], registers: [registry] });
}

async function valuesOf(registry: Registry): Promise<readonly MetricFamily[]> {
  const all = (await registry.getMetricsAsJSON()) as readonly Json[];
  return all.map(({ name, help, type, values }) => ({
    name,
    help,
    // It has the kind as a text; the types say a number.
    type: String(type) as MetricFamily['type'],
    lines: values.map(({ metricName, labels, value }) => ({ name: metricName, labels: textsOf(labels), value })),
  }));
}

function textsOf(labels: { readonly [name: string]: string | number | undefined }): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

function readFamily({ name, type, help, read }: ReadMetric, state: ServiceState): MetricFamily {
  return { name, type, help, lines: read(state) };
}
