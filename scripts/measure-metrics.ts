import { setTimeout as sleep } from 'node:timers/promises';
import { PromMetrics } from '../src/adapters/driven/metrics/prom-metrics.ts';
import { createContainer } from '../src/composition/container.ts';
import { startService } from '../src/composition/running-service.ts';
import { readSettings } from '../src/composition/settings.ts';
import { TOKENS } from '../src/composition/tokens.ts';
import type { ServiceState } from '../src/domain/model/service-state.ts';
import { type Counting, type Metrics, type MetricsFormat, NO_METRICS } from '../src/ports/metrics.ts';
import type { ServiceProcess } from '../tests/e2e/service-process.ts';
import { accountName } from './load/account-names.ts';
import { LoadProcess } from './load/load-process.ts';
import { quantiles } from './measured-latencies.ts';
import { type Cleanup, numberArgument, runBounded } from './stage/bounded-run.ts';
import { makeAccounts } from './stage/many-accounts.ts';
import { megabytes, msText, print } from './stage/print.ts';
import { AccountMaker, credentialsText, replaceFile, type SealedAccount } from './stage/sealed-accounts.ts';
import { emptyPlace, startSized } from './stage/sized-service.ts';

/*
 * What metrics cost. First, in turns within one run, the processor's time that a request to sign takes with metrics and with nobody counting, and what telling of one signature takes by itself. Then a service with many accounts that are named in
 * its metrics: how long a page takes, and how long signatures take while one page after the other is asked for, and while none is. About two minutes. On a machine that others use the ratio says little; the time of telling does.
 *
 * npm run measure:metrics [-- --accounts 100000]
 */

const LIMIT_MS = 290_000;
const DEFAULT_ACCOUNTS = 100_000;
const CALLERS = 8;
const PAIRS = 40;
const SLICE_MS = 400;
const TOLD = 50_000;
const PACE = 100;
const PAGE_PAIRS = 4;
const PAGE_SLICE_MS = 5000;

/** Metrics that count or do not, as a measurement says. */
class SwitchedMetrics implements Metrics {
  readonly #counting = new PromMetrics();
  isOn = true;

  get #told(): Counting {
    return this.isOn ? this.#counting : NO_METRICS;
  }

  attempted(attempt: Parameters<Counting['attempted']>[0]): void {
    this.#told.attempted(attempt);
  }

  batched(items: number): void {
    this.#told.batched(items);
  }

  committed(durationMs: number, isDurable: boolean): void {
    this.#told.committed(durationMs, isDurable);
  }

  answered(request: Parameters<Counting['answered']>[0]): void {
    this.#told.answered(request);
  }

  configured(platformIds: readonly string[]): void {
    this.#counting.configured(platformIds);
  }

  page(format: MetricsFormat, state: ServiceState): Promise<Iterable<string>> {
    return this.#counting.page(format, state);
  }
}

async function measure(cleanup: Cleanup): Promise<boolean> {
  print(`Node ${process.version}, ${process.arch}`);
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  measureTelling();
  await measureRequests(load, cleanup);
  await measurePages(load, cleanup);
  return true;
}

/** As a service tells of one signature: its record, the attempt, the request. */
function measureTelling(): void {
  const metrics = new PromMetrics();
  metrics.configured(['alpha']);
  const labels = { platformId: 'alpha', algorithm: 'ed25519', outcome: 'success', fault: null } as const;
  const answer = { method: 'POST', route: '/api/v1/sign', status: 200, fault: null } as const;
  const times = Array.from({ length: PAIRS }, () => {
    const before = process.cpuUsage();
    for (let told = 0; told < TOLD; told += 1) {
      const durationMs = told % 8;
      metrics.committed(durationMs, true);
      metrics.attempted({ operation: 'sign', ...labels, durationMs });
      metrics.answered({ ...answer, durationMs });
    }
    return microseconds(before) / TOLD;
  });
  print(`\nTelling of one signature: ${median(times).toFixed(2)} µs of processor`);
}

async function measureRequests(load: LoadProcess, cleanup: Cleanup): Promise<void> {
  const place = await emptyPlace();
  cleanup.add(() => place.remove());
  const maker = new AccountMaker(place.path('master.key'));
  replaceFile(place.path('credentials.json'), credentialsText([maker.make(accountName(0))]));
  maker.close();
  const container = createContainer(readSettings({ ...place.environment, SIGNING_LOG_LEVEL: 'warn' }));
  const metrics = new SwitchedMetrics();
  container.rebind(TOKENS.Metrics).toConstantValue(metrics);
  const service = await startService(readSettings(place.environment), container);
  cleanup.add(() => service.stop());
  const slice = async (isOn: boolean) => {
    metrics.isOn = isOn;
    const before = process.cpuUsage();
    const latencies = await load.measure({
      ...jobFor(service.url),
      accounts: [0],
      pace: { callers: CALLERS },
      ms: SLICE_MS,
    });
    return microseconds(before) / latencies.length;
  };
  const pairs: (readonly [on: number, off: number])[] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const isFirst = pair % 2 === 0;
    const [first, second] = [await slice(isFirst), await slice(!isFirst)];
    // The first pair warms up.
    if (pair > 0) pairs.push(isFirst ? [first, second] : [second, first]);
  }
  await service.stop();
  const [on, off] = [median(pairs.map(([one]) => one)), median(pairs.map(([, one]) => one))];
  const ratio = median(pairs.map(([one, other]) => one / other));
  print(`\nProcessor for a request to sign, ${CALLERS} callers, ${PAIRS} pairs of ${SLICE_MS} ms in turns`);
  print(`  counted ${on.toFixed(0)} µs, not counted ${off.toFixed(0)} µs; ratio ${ratio.toFixed(3)} (median of pairs)`);
}

async function measurePages(load: LoadProcess, cleanup: Cleanup): Promise<void> {
  const count = numberArgument('--accounts', DEFAULT_ACCOUNTS);
  print();
  const place = await emptyPlace({ SIGNING_METRICS_ACCOUNTS: 'true' });
  cleanup.add(() => place.remove());
  const accounts: readonly SealedAccount[] = makeAccounts(place.path('master.key'), count);
  const { service } = await startSized(place, accounts);
  const [quiet, asked]: [number[], number[]] = [[], []];
  const pages: { readonly ms: number; readonly bytes: number }[] = [];
  const signing = () =>
    load.measure({ ...jobFor(service.url), accounts: { count }, pace: { perSecond: PACE }, ms: PAGE_SLICE_MS });
  await signing();
  for (let pair = 0; pair < PAGE_PAIRS; pair += 1) {
    quiet.push(...(await signing()));
    const signed = signing();
    let isOver = false;
    void signed.finally(() => {
      isOver = true;
    });
    while (!isOver) pages.push(await askForPage(service));
    asked.push(...(await signed));
  }
  await service.stop();
  const times = quantiles(pages.map(({ ms }) => ms));
  print(
    `\nA page that names ${count} accounts: ${megabytes(pages[0]?.bytes ?? 0)} in ${msText(times.p50)} (${msText(times.max)} at most), while ${PACE} signatures a second are asked for`,
  );
  for (const [name, latencies] of [
    ['no page asked for', quiet],
    ['one page after the other', asked],
  ] as const) {
    const { p50, p99, max } = quantiles(latencies);
    print(`  signing, ${name.padEnd(24)} p50 ${msText(p50)}   p99 ${msText(p99)}   max ${msText(max)}`);
  }
}

async function askForPage({ url }: ServiceProcess): Promise<{ readonly ms: number; readonly bytes: number }> {
  const from = performance.now();
  const answer = await fetch(`${url}/metrics`);
  const { length } = await answer.text();
  if (answer.status !== 200) throw new Error(`/metrics was answered with ${answer.status}.`);
  const ms = performance.now() - from;
  await sleep(1);
  return { ms, bytes: length };
}

function jobFor(url: string) {
  return {
    target: { port: Number(new URL(url).port), ca: null },
    batches: null,
    retries: 0,
    tellsReplies: false,
  } as const;
}

function microseconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(values: readonly number[]): number {
  return quantiles(values).p50;
}

await runBounded(LIMIT_MS, measure);
