import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../tests/crash/recorded-chain.ts';
import { TEST_CERTIFICATE } from '../../tests/harness/certificates.ts';
import { Workplace } from '../../tests/harness/service-process.ts';
import { freePort } from '../../tests/programs/free-port.ts';
import { installedProgram } from '../../tests/programs/installed-program.ts';
import { RedisServer } from '../../tests/redis/redis-server.ts';
import { LoadProcess } from '../load/load-process.ts';
import { auditedUsage } from '../proof/audited-usage.ts';
import { CheckedReplies } from '../proof/checked-replies.ts';
import { InstallationHistory } from '../proof/installation-history.ts';
import { quantiles } from '../proof/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { formatMs, print } from '../run/print.ts';
import { formatCredentials, makeAccounts, replaceFile } from '../service/sealed-accounts.ts';
import { Replica } from './replica.ts';
import { ShippedNginx } from './shipped-nginx.ts';

/*
 * Kills two replicas behind nginx with TLS (deploy/nginx/nginx.conf) alternately with SIGKILL, then
 * restarts them in turn, under load by callers with one retry. No call may fail; the rolling
 * restart needs no retry; every signature is verified independently and on one of the two audit
 * chains, which `audit verify` accepts together; each replica's usage totals, shared through Redis,
 * match the records. Exit code 1 if not, 2 without nginx or redis-server. Under three minutes.
 *
 * npm run test:slow -- failover
 */

/** Signatures by `platformId/accountId`. */
type Totals = ReadonlyMap<string, number>;

const LAG_MS = 15_000;
const POLL_MS = 200;

/**
 * Polls the replicas' totals until all satisfy, or returns a deviating one after the time to catch
 * up.
 */
async function totalsOnce(replicas: readonly Replica[], satisfy: (totals: Totals) => boolean): Promise<Totals> {
  const limit = performance.now() + LAG_MS;
  for (;;) {
    const reports = await Promise.all(replicas.map((replica) => replica.totals()));
    const [last = reports[0] ?? new Map()] = reports.filter((totals) => !satisfy(totals));
    if (satisfy(last) || performance.now() > limit) return last;
    await sleep(POLL_MS);
  }
}

/** Missing accounts count as 0. */
function isSame(left: Totals, right: Totals): boolean {
  const accounts = new Set([...left.keys(), ...right.keys()]);
  return [...accounts].every((account) => (left.get(account) ?? 0) === (right.get(account) ?? 0));
}

const LIMIT_MS = 170_000;
const ACCOUNTS = 20;
const KILLS = 8;
const CALLS_PER_SECOND = 150;
const BATCHES = { every: 10, size: 8 };
const CALM_MS = 1500;

/** Replicas under load, and the results. */
class Scene {
  readonly replicas: readonly Replica[];
  readonly replies: CheckedReplies;
  readonly #load: LoadProcess;

  constructor(replicas: readonly Replica[], replies: CheckedReplies, load: LoadProcess) {
    this.replicas = replicas;
    this.replies = replies;
    this.#load = load;
  }

  /** Performs an event under load and prints what callers saw. */
  async during(name: string, happen: () => Promise<void>): Promise<void> {
    const { calls, retries, issueCount, latencies } = this.replies;
    const first = latencies.length;
    await happen();
    await sleep(CALM_MS);
    const { p50, p99, max } = quantiles(latencies.slice(first));
    const seen = `${this.replies.calls - calls} calls, ${this.replies.retries - retries} tried again`;
    const failed = `${this.replies.issueCount - issueCount} failed`;
    print(`  ${name.padEnd(24)} ${seen}, ${failed}; p50 ${formatMs(p50)}  p99 ${formatMs(p99)}  max ${formatMs(max)}`);
  }

  stop(): Promise<void> {
    return this.#load.stop();
  }
}

async function prove(cleanup: Cleanup, nginxProgram: string): Promise<boolean> {
  const shared = new Workplace();
  cleanup.add(() => shared.remove());
  await shared.done('init');
  const accounts = makeAccounts(shared.path('master.key'), ACCOUNTS);
  replaceFile(shared.path('credentials.json'), formatCredentials(accounts));
  const redis = await RedisServer.start();
  cleanup.add(() => redis.remove());
  const environment = { SIGNING_REDIS_URL: redis.url };
  const replicas = [
    await Replica.create('signing-1', shared, environment),
    await Replica.create('signing-2', shared, environment),
  ] as const;
  for (const replica of replicas) {
    cleanup.add(() => replica.remove());
    await replica.start();
  }
  const place = {
    program: nginxProgram,
    folder: join(shared.folder, 'nginx'),
    port: await freePort(),
    replicaPorts: [replicas[0].port, replicas[1].port],
  } as const;
  ShippedNginx.check(place);
  print('nginx -t takes deploy/nginx/nginx.conf');
  const nginx = await ShippedNginx.start(place);
  cleanup.add(() => nginx.end());

  const history = new InstallationHistory();
  history.begin(new Map(accounts.map(({ publicKey }, number) => [number, { publicKey }])));
  const scene = startScene(replicas, nginx.port, new CheckedReplies(history), cleanup);
  print(`${CALLS_PER_SECOND} calls/s over TLS, one in ${BATCHES.every} a batch of ${BATCHES.size}, one retry\n`);
  await scene.during('nothing happens', () => sleep(CALM_MS));
  for (let kill = 0; kill < KILLS; kill += 1) await killAndRestart(scene, kill);
  const { retries } = scene.replies;
  for (const replica of replicas) await restart(scene, replica);
  const rolling = scene.replies.retries - retries;
  await scene.stop();
  print(`\nCalls that needed the caller's retry during the rolling restart: ${rolling}`);
  print(`Times that nginx found a replica gone: ${nginx.stderr.match(/\[error\].* upstream/g)?.length ?? 0}`);
  return report(shared, scene, rolling);
}

function startScene(replicas: readonly Replica[], port: number, replies: CheckedReplies, cleanup: Cleanup): Scene {
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  const job = {
    target: { port, ca: readFileSync(TEST_CERTIFICATE.certFile, 'utf8') },
    accounts: { count: ACCOUNTS },
    pace: { perSecond: CALLS_PER_SECOND },
    batches: BATCHES,
    retries: 1,
    reportsReplies: true,
    ms: LIMIT_MS,
  };
  load.start(job, (report) => replies.add(report));
  return new Scene(replicas, replies, load);
}

async function killAndRestart(scene: Scene, kill: number): Promise<void> {
  const replica = scene.replicas[kill % scene.replicas.length];
  await scene.during(`kill -9 ${replica?.name}`, async () => {
    await replica?.kill();
  });
  await scene.during(`${replica?.name} again`, async () => {
    await replica?.start();
  });
}

async function restart(scene: Scene, replica: Replica): Promise<void> {
  await scene.during(`${replica.name} restarts`, async () => {
    await replica.stop();
    await replica.start();
  });
}

/** @param rolling calls that needed a retry during the rolling restart */
async function report(shared: Workplace, { replicas, replies }: Scene, rolling: number): Promise<boolean> {
  const audited = await auditedUsage(
    shared,
    replicas.flatMap(({ auditFiles }) => auditFiles),
    replicas.map(({ publicKeyFile }) => publicKeyFile),
  );
  const wanted = new Map(audited.accounts.map((one) => [`${one.platformId}/${one.accountId}`, one.totalSigns]));
  const totals = await totalsOnce(replicas, (reports) => isSame(reports, wanted));
  const recorded = new Set(replicas.flatMap((replica) => replica.recordedSignatures()));
  const unrecorded = replies.signatures.filter((signature) => !recorded.has(sha256(signature)));
  const sum = [...totals.values()].reduce((left, right) => left + right, 0);
  print(`audit verify takes both together: ${audited.chains} chains, ${audited.totalSigns} signatures`);
  print(`Usage totals that each replica tells, added up through Redis: ${sum}`);
  print(
    `Signatures that callers received and verified: ${replies.signatures.length}, not on record: ${unrecorded.length}`,
  );
  print(
    `Calls: ${replies.calls}, of which ${replies.issueCount} wrong or failed after one retry; retries: ${replies.retries}`,
  );
  for (const issue of replies.issues) print(`- ${issue}`);
  const isRight =
    replies.issueCount === 0 &&
    rolling === 0 &&
    replies.signatures.length > 0 &&
    unrecorded.length === 0 &&
    audited.chains === replicas.length &&
    audited.totalSigns >= replies.signatures.length &&
    isSame(totals, wanted);
  print(
    isRight ? '\nShown: no call failed, every signature is right and on record, the totals are right.' : '\nFAILED',
  );
  return isRight;
}

const nginx = installedProgram('nginx');
if (nginx === undefined || installedProgram('redis-server') === undefined) {
  process.stderr.write('This needs nginx and redis-server: apt-get install nginx-light redis-server\n');
  // Nothing to clean up yet.
  process.exit(2);
}
await runBounded(LIMIT_MS, (cleanup) => prove(cleanup, nginx));
