import canonicalize from 'canonicalize';
import { SERVICE_VERSION } from '../../src/app/service-version.ts';
import { toData } from '../load/load-process.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import { print, printRow } from '../run/print.ts';
import { type BenchService, makeInstallation, startBenchService } from '../service/bench-service.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';
import { BENCH_ACCOUNTS, countRequests, drive, type Work } from './drive.ts';
import { inTurns, type Round, Rounds, type Scenario, type Scenarios } from './rounds.ts';
import { runLoad, type Slice } from './run-load.ts';
import type { BenchPlan } from './scenarios.ts';
import { BATCH_ITEMS, type Exchange, PLACEHOLDER, StartScript } from './start-script.ts';
import { printLegend, printScenarios } from './tables.ts';

/** Bytes of every signed payload: an order with a note. */
const PAYLOAD_BYTES = 140;
const SINGLES: Work = { algorithm: 'ed25519', batch: null, connections: 64, payloadBytes: PAYLOAD_BYTES };
const BATCHES: Work = { algorithm: 'ed25519', batch: BATCH_ITEMS, connections: 4, payloadBytes: PAYLOAD_BYTES };
const KINDS = [SINGLES, BATCHES];
const SAMPLE_CHARACTERS = 300;

const OWN = `signing-service ${SERVICE_VERSION}`;
const [ONE, TWO] = [`${OWN}, one process`, `${OWN}, two processes`];

/** Ratios of medians, ours ÷ theirs. */
const RATIOS: readonly (readonly [words: string, kind: Work, ours: string, field: keyof Scenario['median']])[] = [
  ['CPU of single signatures', SINGLES, ONE, 'cpuPer1000'],
  ['CPU of items of batches', BATCHES, ONE, 'cpuPer1000'],
  ['signatures/s, two processes', SINGLES, TWO, 'perSecond'],
  ['items/s of batches, one process', BATCHES, ONE, 'perSecond'],
  ['p99 of single signatures, one process', SINGLES, ONE, 'p99'],
  ['p99 of single signatures, two processes', SINGLES, TWO, 'p99'],
];

/**
 * Measures the service and others in alternating rounds, and prints both and their ratios.
 * @param commands start scripts of the others
 * @throws StartScriptError if a script does not follow its contract
 */
export async function measureBeside(commands: readonly string[], plan: BenchPlan, cleanup: Cleanup): Promise<void> {
  const others: StartScript[] = [];
  for (const command of commands) {
    const other = await StartScript.start(command, cleanup);
    const name = nameOf(other);
    if (others.some((earlier) => nameOf(earlier) === name)) throw await other.error(`a second '${name}'`);
    print(`  ${name} started`);
    others.push(other);
  }
  const first = { warmUpMs: plan.firstWarmUpMs, ms: 100 };
  for (const other of others) for (const work of kindsOf(other)) await driveOther(other, work, first);

  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, BENCH_ACCOUNTS));
  const [one, two] = await Promise.all([startBenchService({ place }, cleanup), startBenchService({ place }, cleanup)]);
  const results = new Map(KINDS.map((kind) => [kind, new Rounds()]));
  const driveOwn = (services: readonly BenchService[], kind: Work, slice: Slice) =>
    drive(services, { ...kind, connections: kind.connections / services.length }, slice, accounts);
  for (const service of [one, two]) for (const kind of KINDS) await driveOwn([service], kind, first);

  print('  in turns');
  const turn = (name: string, kind: Work, measure: () => Promise<Round>) => async () =>
    results.get(kind)?.add(name, await measure());
  await inTurns(
    plan.rounds,
    KINDS.flatMap((kind) => [
      turn(ONE, kind, () => driveOwn([one], kind, plan.slice)),
      turn(TWO, kind, () => driveOwn([one, two], kind, plan.slice)),
      ...others
        .filter((other) => kindsOf(other).includes(kind))
        .map((other) => turn(nameOf(other), kind, () => driveOther(other, kind, plan.slice))),
    ]),
  );

  const scenarios = new Map([...results].map(([kind, rounds]) => [kind, rounds.scenarios()]));
  const of = (kind: Work): Scenarios => scenarios.get(kind) ?? new Map();
  print(`\n  ed25519 over ${PAYLOAD_BYTES} bytes; medians of rounds\n`);
  printScenarios(`single, ${SINGLES.connections} connections`, of(SINGLES));
  print();
  printScenarios(`batches of ${BATCH_ITEMS}, ${BATCHES.connections} connections`, of(BATCHES));
  printLegend();
  for (const other of others) printRatios(nameOf(other), of);
}

function nameOf({ started: { name, version } }: StartScript): string {
  return `${name} ${version}`;
}

function kindsOf({ started }: StartScript): readonly Work[] {
  return started.batchBody === null ? [SINGLES] : KINDS;
}

function printRatios(name: string, of: (kind: Work) => Scenarios): void {
  print(`  ${OWN} ÷ ${name}`);
  for (const [words, kind, ours, field] of RATIOS) {
    const [above, below] = [ours, name].map((one) => of(kind).get(one)?.median[field] ?? undefined);
    if (above !== undefined && below !== undefined) printRow([`  ${words}`, (above / below).toFixed(3)], [44, 8]);
  }
}

/** A round of another service, with some responses of each connection verified. */
async function driveOther(other: StartScript, kind: Work, slice: Slice): Promise<Round> {
  const { url, pids } = other.started;
  const samples: (Exchange & { readonly status: number })[] = [];
  const load = {
    connections: kind.connections,
    signaturesPerRequest: kind.batch ?? 1,
    createRequests: () =>
      Array.from({ length: countRequests(kind) }, (_, index) => {
        const request = createRequest(other, kind);
        const onResponse = (status: number, response: string) =>
          void samples.push({ body: request.body, response, status });
        return { ...request, ...(index === 0 && { onResponse }) };
      }),
  };
  const round = await runLoad([{ url, pids }], load, slice).catch(async (error: Error) => {
    const failed = samples.find(({ status }) => status < 200 || status > 299);
    const example = failed && ` First: ${failed.status} ${failed.response.slice(0, SAMPLE_CHARACTERS)}`;
    throw await other.error(`${error.message}${example ?? ''}`);
  });
  if (samples.length === 0) throw await other.error('there was no response to verify');
  await other.verify(samples.map(({ body, response }) => ({ body, response })));
  return round;
}

let calls = 0;

function createRequest({ started }: StartScript, { batch }: Work) {
  const { pathname, search } = new URL(started.url);
  const template = batch === null ? started.body : (started.batchBody ?? '');
  const body = template.replace(PLACEHOLDER, (_, encoding) => nextPayload().toString(encoding));
  return { method: 'POST' as const, path: `${pathname}${search}`, headers: { ...started.headers }, body };
}

/** What the service signs for an order, without the service. */
function nextPayload(): Buffer {
  calls += 1;
  return Buffer.from(canonicalize(toData({ account: 0, call: calls, payloadBytes: PAYLOAD_BYTES })) ?? '');
}
