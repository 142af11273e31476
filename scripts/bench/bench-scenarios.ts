import canonicalize from 'canonicalize';
import { dataOf } from '../load/load-process.ts';
import type { Cleanup } from '../stage/bounded-run.ts';
import { makeAccounts } from '../stage/many-accounts.ts';
import { print } from '../stage/print.ts';
import { AskedProcess } from './asked-process.ts';
import { expectRecorded, expectUnrecorded, meanLineBytes } from './audit-lines.ts';
import type { BareAnswer, BarePlace } from './bare-server.ts';
import type { BenchPlan, Turns } from './bench-plan.ts';
import type { MeasuredRounds } from './bench-result.ts';
import { BenchRun, inTurns, type Measured } from './bench-run.ts';
import {
  type BenchService,
  benchCertificate,
  type Installation,
  makeInstallation,
  startBenchService,
} from './bench-service.ts';
import type { RequestKind } from './request-texts.ts';

const ACCOUNTS = 1000;
const CONNECTIONS = 64;
/** Enough to keep a service busy, and few enough that its answers come one after the other. */
const BATCH_CONNECTIONS = 4;
const BATCH = 100;
const DIFFERENT = 5000;
const DIFFERENT_BATCHES = 100;
const [FEW, MANY] = [10, 100_000];
/** All accounts that sign with the algorithm of the scenario. */
const DIFFERENT_OF_MANY = MANY / 2;
const GROUP = 64;

const ED25519: RequestKind = { algorithm: 'ed25519', accounts: ACCOUNTS, batch: null, different: DIFFERENT };
const EIP191: RequestKind = { ...ED25519, algorithm: 'eip191' };
const ED25519_BATCHES: RequestKind = { ...ED25519, batch: BATCH, different: DIFFERENT_BATCHES };
const EIP191_BATCHES: RequestKind = { ...EIP191, batch: BATCH, different: DIFFERENT_BATCHES };

/** Measures all that the plan has, one after the other, and prints what it is at. */
export async function measureScenarios(plan: BenchPlan, cleanup: Cleanup): Promise<MeasuredRounds> {
  const run = new BenchRun(cleanup);
  const installation = await makeInstallation(cleanup, (masterKeyFile) => makeAccounts(masterKeyFile, ACCOUNTS));
  const [service, https, unaudited] = await Promise.all([
    startBenchService(installation, cleanup),
    startBenchService(installation, cleanup, { isHttps: true }),
    startBenchService(installation, cleanup, { isAudited: false }),
  ]);
  const scene = { plan, run, cleanup, installation, service, https, unaudited };
  await measureSingles(scene);
  await measureBatches(scene);
  await measureAudit(scene);
  await measurePaces(scene);
  if (plan.processes !== null) await measureProcesses(scene, plan.processes);
  if (plan.disk !== null) await measureDisk(scene, plan.disk);
  expectRecorded(service.auditFile, run.signaturesOf(service));
  await service.end();
  if (plan.manyAccounts !== null) await measureManyAccounts(scene, plan.manyAccounts);
  print(`  ${run.verified} signatures of the answers verified by OpenSSL and ethers`);
  return run.rounds;
}

/** What scenarios have in common. */
interface Scene {
  readonly plan: BenchPlan;
  readonly run: BenchRun;
  readonly cleanup: Cleanup;
  readonly installation: Installation;
  /** HTTP, audit on. */
  readonly service: BenchService;
  readonly https: BenchService;
  readonly unaudited: BenchService;
}

/** Measures single requests beside bare servers that read the same requests and answer the bytes that the service answered. */
async function measureSingles({ plan, run, cleanup, installation, service, https }: Scene): Promise<void> {
  print('  single requests');
  const { accounts } = installation;
  const single = (one: Pick<BenchService, 'target' | 'pid'>, requests = ED25519): Measured => ({
    ...{ services: [one], requests, connections: CONNECTIONS, accounts },
  });
  const first = { warmUpMs: plan.firstWarmUpMs, ms: 100 };
  const { head, samples } = await run.drive(single(service), first);
  const answer = { head, body: samples[0]?.body ?? '' };
  const bareHttp = await startBare({ ...answer, tls: null }, cleanup);
  const bareHttps = await startBare({ ...answer, tls: benchCertificate() }, cleanup);
  const bare = (one: typeof bareHttp): Measured => ({ ...single(one), accounts: null });
  for (const one of [bareHttp, bareHttps]) await run.drive(bare(one), first);
  await run.drive(single(https), first);
  await run.drive(single(service, EIP191), first);
  const slice = { warmUpMs: plan.warmUpMs, ms: plan.singles.ms };
  await inTurns(plan.singles.rounds, [
    () => run.round('httpsEd25519', single(https), slice),
    () => run.round('singleEd25519', single(service), slice),
    () => run.round('bareHttp', bare(bareHttp), slice),
    () => run.round('bareHttps', bare(bareHttps), slice),
    () => run.round('singleEip191', single(service, EIP191), slice),
  ]);
  await Promise.all([bareHttp, bareHttps, https].map((one) => one.end()));
}

async function startBare(answer: BareAnswer, cleanup: Cleanup) {
  const bare = new AskedProcess<BareAnswer, BarePlace>('bare-server.ts');
  cleanup.add(() => bare.end());
  const { port } = await bare.ask(answer);
  return { target: { port, ca: answer.tls?.cert ?? null }, pid: bare.pid, end: () => bare.end() };
}

async function measureBatches({ plan, run, installation, service }: Scene): Promise<void> {
  print('  batches beside loops of the libraries');
  const batches = (requests: RequestKind): Measured => ({
    ...{ services: [service], requests, connections: BATCH_CONNECTIONS, accounts: installation.accounts },
  });
  const first = { warmUpMs: plan.firstWarmUpMs, ms: 200 };
  for (const requests of [ED25519_BATCHES, EIP191_BATCHES]) await run.drive(batches(requests), first);
  const slice = { warmUpMs: plan.warmUpMs, ms: plan.batches.ms };
  const ms = plan.rawMs;
  const payloadBytes = Buffer.byteLength(canonicalize(dataOf({ account: 0, call: DIFFERENT })) ?? '');
  await inTurns(plan.batches.rounds, [
    () => run.round('batchEd25519', batches(ED25519_BATCHES), slice),
    () => run.rawRound('libsodium', { limit: 'libsodium', payloadBytes, ms }),
    () => run.rawRound('libsecp256k1', { limit: 'libsecp256k1', ms }),
    () => run.round('batchEip191', batches(EIP191_BATCHES), slice),
  ]);
}

async function measureAudit({ plan, run, installation, service, unaudited }: Scene): Promise<void> {
  print('  audit on and off');
  const single = (one: BenchService): Measured => ({
    ...{ services: [one], requests: ED25519, connections: CONNECTIONS, accounts: installation.accounts },
  });
  await run.drive(single(unaudited), { warmUpMs: plan.firstWarmUpMs, ms: 100 });
  const slice = { warmUpMs: plan.warmUpMs, ms: plan.audit.ms };
  await inTurns(plan.audit.rounds, [
    () => run.round('auditOn', single(service), slice),
    () => run.round('auditOff', single(unaudited), slice),
  ]);
  expectUnrecorded(unaudited.auditFile);
  await unaudited.end();
}

async function measurePaces({ plan, run, installation, service }: Scene): Promise<void> {
  const { rounds, paces } = plan.paced;
  print(`  ${paces.map(({ perSecond }) => perSecond).join(' and ')} requests/s`);
  const { accounts } = installation;
  const measured = { services: [service], requests: ED25519, connections: CONNECTIONS, accounts };
  await inTurns(
    rounds,
    paces.map(({ perSecond, ms }) => () => {
      const slice = { warmUpMs: plan.warmUpMs, ms };
      return run.round(`paced${perSecond}`, { ...measured, perSecond }, slice);
    }),
  );
}

/** By batches, whose callers need next to nothing of the two cores. */
async function measureProcesses(
  { plan, run, cleanup, installation, service }: Scene,
  { rounds, ms }: Turns,
): Promise<void> {
  print('  two processes beside one');
  const second = await startBenchService(installation, cleanup);
  const batches = (services: readonly BenchService[]): Measured => ({
    ...{ services, requests: EIP191_BATCHES, connections: BATCH_CONNECTIONS, accounts: installation.accounts },
  });
  await run.drive(batches([second]), { warmUpMs: plan.firstWarmUpMs, ms: 200 });
  const slice = { warmUpMs: plan.warmUpMs, ms };
  await inTurns(rounds, [
    () => run.round('oneProcess', batches([service]), slice),
    () => run.round('twoProcesses', batches([service, second]), slice),
  ]);
  await second.end();
}

/** Records as long as those of the audit file, in its folder. */
async function measureDisk({ run, service }: Scene, { rounds, ms }: Turns): Promise<void> {
  print('  the disk');
  const disk = { limit: 'disk', folder: service.folder, lineBytes: meanLineBytes(service.auditFile), ms } as const;
  await inTurns(rounds, [
    () => run.rawRound('diskGroup1', { ...disk, group: 1 }),
    () => run.rawRound('diskGroup64', { ...disk, group: GROUP }),
  ]);
}

/** Each has a service of its own; there are as many different requests to either. */
async function measureManyAccounts({ plan, run, cleanup }: Scene, { rounds, ms }: Turns): Promise<void> {
  print(`  ${MANY} accounts and ${FEW}`);
  const ofSize = async (size: number): Promise<Measured> => {
    const installation = await makeInstallation(cleanup, (masterKeyFile) => makeAccounts(masterKeyFile, size));
    const services = [await startBenchService(installation, cleanup)];
    const requests = { ...ED25519, accounts: size, different: DIFFERENT_OF_MANY };
    return { services, requests, connections: CONNECTIONS, accounts: installation.accounts };
  };
  const [few, many] = [await ofSize(FEW), await ofSize(MANY)];
  // Both have only just started, and one has read 100,000 accounts.
  for (const one of [few, many]) await run.drive(one, { warmUpMs: 2 * plan.firstWarmUpMs, ms: 100 });
  const slice = { warmUpMs: plan.warmUpMs, ms };
  await inTurns(rounds, [() => run.round('fewAccounts', few, slice), () => run.round('manyAccounts', many, slice)]);
}
