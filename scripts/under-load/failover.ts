import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditedUsage } from '../../tests/harness/audited-usage.ts';
import { TEST_CERTIFICATE } from '../../tests/harness/certificates.ts';
import { formatCredentials, makeAccounts, replaceFile } from '../../tests/harness/generated-accounts.ts';
import { imagePlace } from '../../tests/harness/image-service.ts';
import { print } from '../../tests/harness/print.ts';
import { ShippedNginx } from '../../tests/harness/shipped-nginx.ts';
import { sha256 } from '../../tests/harness/verified-chain.ts';
import { freePort } from '../../tests/programs/free-port.ts';
import { installedProgram } from '../../tests/programs/installed-program.ts';
import { RedisServer } from '../../tests/redis/redis-server.ts';
import { Load, type Reply } from '../load/load.ts';
import { randomRequests } from '../load/signing-requests.ts';
import { formatQuantiles, quantiles } from '../load/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { InstallationHistory } from './installation-history.ts';
import { awaitTotals, Replica, toTotals } from './replica.ts';

/*
 * Kills two replicas behind nginx with TLS (deploy/nginx/nginx.conf) alternately with SIGKILL, then
 * restarts them in turn, under load by callers with one retry. No call may fail; the rolling
 * restart needs no retry; every signature is verified independently and on one of the two audit
 * chains, which `audit verify` accepts together; each replica's usage totals, shared through Redis,
 * match the records. Exit code 1 if not, 2 without nginx or redis-server. Under three minutes.
 *
 * npm run test:slow -- failover
 */

const LIMIT_MS = 290_000;
const ACCOUNTS = 20;
const KILLS = 8;
const CALLS_PER_SECOND = 150;
const BATCHES = { every: 10, size: 8 };
const CALM_MS = 1500;

function countRetries(replies: readonly Reply[]): number {
  return replies.reduce((sum, { retries }) => sum + retries, 0);
}

async function startNginx(program: string, folder: string, replicas: readonly [Replica, Replica], cleanup: Cleanup) {
  const replicaPorts = [replicas[0].port, replicas[1].port] as const;
  const place = { program, folder: join(folder, 'nginx'), port: await freePort(), replicaPorts };
  ShippedNginx.check(place);
  const nginx = await ShippedNginx.start(place);
  cleanup.add(() => nginx.end());
  return nginx;
}

async function prove(cleanup: Cleanup, nginxProgram: string): Promise<boolean> {
  const shared = await imagePlace();
  cleanup.add(() => shared.remove());
  const accounts = makeAccounts(shared.path('master.key'), ACCOUNTS);
  replaceFile(shared.path('credentials.json'), formatCredentials(accounts));
  const redis = await RedisServer.start();
  cleanup.add(() => redis.remove());
  const replicas = [
    await Replica.create('signing-1', shared, redis.url),
    await Replica.create('signing-2', shared, redis.url),
  ] as const;
  for (const replica of replicas) {
    cleanup.add(() => replica.remove());
    await replica.start();
  }
  const nginx = await startNginx(nginxProgram, shared.folder, replicas, cleanup);

  const history = new InstallationHistory();
  history.begin(new Map(accounts.map(({ publicKey }, number) => [number, { publicKey }])));
  const requests = randomRequests((LIMIT_MS / 1000) * CALLS_PER_SECOND, ACCOUNTS, BATCHES);
  const load = new Load({ port: nginx.port, ca: readFileSync(TEST_CERTIFICATE.certFile, 'utf8') }, requests, {
    retries: 1,
  });
  const loading = load.run({ perSecond: CALLS_PER_SECOND }, LIMIT_MS);
  print(`${CALLS_PER_SECOND} calls/s over TLS, one in ${BATCHES.every} a batch of ${BATCHES.size}, one retry\n`);
  /** Performs an event under load, and prints and returns what callers saw. */
  const during = async (name: string, happen: () => Promise<void>) => {
    const first = load.replies.length;
    await happen();
    await sleep(CALM_MS);
    const replies = load.replies.slice(first);
    print(`  ${name.padEnd(24)} ${replies.length} calls, ${countRetries(replies)} tried again`);
    print(`${' '.repeat(27)}${formatQuantiles(quantiles(replies.map(({ ms }) => ms)))}`);
    return replies;
  };
  await during('nothing happens', () => sleep(CALM_MS));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const replica = replicas[kill % 2 === 0 ? 0 : 1];
    await during(`kill -9 ${replica.name}`, () => replica.kill());
    await during(`${replica.name} again`, () => replica.start());
  }
  let rolling = 0;
  for (const replica of replicas) {
    const replies = await during(`${replica.name} restarts`, async () => {
      await replica.stop();
      await replica.start();
    });
    rolling += countRetries(replies);
  }
  load.stop();
  const replies = await loading;

  const audited = await auditedUsage(
    shared,
    replicas.map(({ folder }) => folder),
    replicas.map(({ publicKeyFile }) => publicKeyFile),
  );
  const expected = toTotals(audited.accounts);
  const hasTotals = await awaitTotals(replicas, expected);
  const { issues, signatures } = history.check(replies);
  const recorded = new Set(replicas.flatMap((replica) => replica.recordedSignatures()));
  const unrecorded = signatures.filter((signature) => !recorded.has(sha256(signature)));
  for (const issue of issues.slice(0, 10)) print(issue);
  print(`\nCalls: ${replies.length}, of which ${issues.length} wrong or failed; retries: ${countRetries(replies)}`);
  print(`Calls that needed the caller's retry during the rolling restart: ${rolling}`);
  print(`Times that nginx found a replica gone: ${nginx.stderr.match(/\[error\].* upstream/g)?.length ?? 0}`);
  print(`Signatures received and verified: ${signatures.length}, not on record: ${unrecorded.length}`);
  print(`audit verify accepts both together: ${audited.chains} chains, ${audited.totalSigns} signatures`);
  print(`Each replica's usage totals through Redis: ${hasTotals ? 'match' : 'DO NOT MATCH'} the records`);
  const isRight =
    issues.length === 0 &&
    rolling === 0 &&
    signatures.length > 0 &&
    unrecorded.length === 0 &&
    audited.chains === replicas.length &&
    audited.totalSigns >= signatures.length &&
    hasTotals;
  print(isRight ? '\nShown: no call failed, every signature is right and on record.' : '\nFAILED');
  return isRight;
}

const nginx = installedProgram('nginx');
if (nginx === undefined || installedProgram('redis-server') === undefined) {
  process.stderr.write('This needs nginx and redis-server: apt-get install nginx-light redis-server\n');
  // Nothing to clean up yet.
  process.exit(2);
}
await runBounded(LIMIT_MS, (cleanup) => prove(cleanup, nginx));
