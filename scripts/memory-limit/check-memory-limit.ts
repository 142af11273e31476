import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addSigner, imagePlace } from '../../tests/harness/image-service.ts';
import { print, printTable } from '../../tests/harness/print.ts';
import type { ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { START_OPTIONS } from '../../tests/harness/start-options.ts';
import { makeKeystore } from '../../tests/memory/keystore.ts';
import { Load } from '../load/load.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { attacks, launch, ORDER, type Tally } from './attacks.ts';
import { MemoryCgroup } from './memory-cgroup.ts';

/*
 * Proves the memory limit of image and Kubernetes manifest: starts the service with the image's
 * command in a control group of that size without swap, attacks it, loads it with 1, 2 and 10 times
 * the rated 100 requests a second, and checks after each that it still signs. Exit code 1 if not, 2
 * if it cannot be tried. Needs root on Linux and a memory control group. Four minutes.
 *
 * npm run check -- memory-limit
 */

const REPOSITORY = resolve(import.meta.dirname, '../..');
const MIB = 2 ** 20;
const RATED = 100;
const LOAD_SECONDS = 10;
const LIMIT_MS = 900_000;

/** An attack or load on a new service. */
interface Row {
  readonly name: string;
  readonly act: (port: number, service: ServiceProcess, place: Workplace) => Promise<Tally>;
  /** Configures the service. */
  readonly prepare?: (place: Workplace) => void;
}

/** The limit of the Kubernetes manifest, the smallest one published. @returns bytes */
function publishedLimit(): number {
  const manifest = readFileSync(resolve(REPOSITORY, 'deploy/kubernetes/statefulset.yaml'), 'utf8');
  const [, mebibytes] = /\blimits: \{ memory: (\d+)Mi \}/.exec(manifest) ?? [];
  if (mebibytes === undefined) throw new Error('deploy/kubernetes/statefulset.yaml has no limit of memory in Mi.');
  return Number(mebibytes) * MIB;
}

/** Sends signing requests at a steady rate. @param rate requests a second */
async function steadyLoad(port: number, rate: number): Promise<Tally> {
  const requests = [{ path: '/api/v1/sign', body: JSON.stringify(ORDER) }];
  const load = new Load({ port }, requests, { maxConnections: 2048 });
  const tally: Tally = {};
  for (const { status } of await load.run({ perSecond: rate }, LOAD_SECONDS * 1000)) {
    tally[status] = (tally[status] ?? 0) + 1;
  }
  return tally;
}

/** As geth writes it: 256 MiB of memory for each. */
const KEYSTORE_COST = { name: 'scrypt', n: 2 ** 18, r: 8, p: 1 } as const;
const KEYSTORES = 5;

/** Adds accounts with keystores, which a key helper opens at the start and at a reload. */
function addKeystores(place: Workplace): void {
  const { json, password } = makeKeystore(randomBytes(32), KEYSTORE_COST);
  writeFileSync(place.path('password'), password, { mode: 0o600 });
  const file = place.environment['SIGNING_CREDENTIALS_FILE'] ?? '';
  const credentials = JSON.parse(readFileSync(file, 'utf8'));
  for (let index = 0; index < KEYSTORES; index += 1) {
    writeFileSync(place.path(`keystore-${index}`), json, { mode: 0o600 });
    const key = { file: place.path(`keystore-${index}`), format: 'keystore', passwordFile: place.path('password') };
    const { platformId } = credentials.platforms[0];
    credentials.accounts.push({ platformId, accountId: `keystore-${index}`, algorithm: 'ed25519', key });
  }
  writeFileSync(file, JSON.stringify(credentials));
}

/** Reloads them under load. */
async function reloadKeystores(port: number, service: ServiceProcess, place: Workplace): Promise<Tally> {
  for (let index = 0; index < KEYSTORES; index += 1) {
    const file = place.path(`keystore-${index}`);
    writeFileSync(file, readFileSync(file));
  }
  const [tally, { status }] = await Promise.all([steadyLoad(port, RATED), service.post('/config/reload')]);
  return { ...tally, [`reload ${status}`]: 1 };
}

async function isSigning(service: ServiceProcess): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const response = await service.post('/sign', ORDER).catch(() => null);
    if (response?.status === 200) return true;
    await sleep(1000);
  }
  return false;
}

/** Runs a row with a new service in a control group. @returns whether it still signs */
async function check({ name, act, prepare }: Row, limit: number, cleanup: Cleanup): Promise<boolean> {
  const group = new MemoryCgroup(limit);
  cleanup.add(() => group.remove());
  const place = await imagePlace();
  cleanup.add(() => place.remove());
  await addSigner(place);
  prepare?.(place);
  place.launcher = [...group.launcher, ...place.launcher];
  const service = await place.start();
  const tally = await act(Number(new URL(service.url).port), service, place);
  const signs = await isSigning(service);
  const peak = group.peakBytes;
  const share = `${Math.round((100 * peak) / limit)} %`;
  printTable({ [name]: { 'peak MiB': Math.round(peak / MIB), 'of limit': share, signs, ...tally } });
  await cleanup.run();
  return signs;
}

async function canLimit(limit: number): Promise<boolean> {
  try {
    await new MemoryCgroup(limit).remove();
    return true;
  } catch {
    return false;
  }
}

const limit = publishedLimit();
const rows: readonly Row[] = [
  { name: 'start', act: async () => ({}) },
  ...attacks().map((attack) => ({ name: attack.name, act: (port: number) => launch(attack, port) })),
  ...[1, 2, 10].map((times) => ({
    name: `${times * RATED} requests a second for ${LOAD_SECONDS} s`,
    act: (port: number) => steadyLoad(port, times * RATED),
  })),
  { name: `reload of ${KEYSTORES} scrypt keystores under load`, act: reloadKeystores, prepare: addKeystores },
];
print(`Node ${process.version}; limit ${limit / MIB} MiB, no swap; node ${START_OPTIONS.join(' ')}\n`);
if (!(await canLimit(limit))) {
  print('This needs Linux, root and a memory control group that can be written to.');
  process.exit(2);
}
await runBounded(LIMIT_MS, async (cleanup) => {
  let allSign = true;
  for (const row of rows) allSign = (await check(row, limit, cleanup)) && allSign;
  if (!allSign) print('\nFAILED: the service was killed, or did not sign any more.');
  return allSign;
});
