import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { addSigner } from '../../tests/harness/image-service.ts';
import { print, printTable } from '../../tests/harness/print.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { START_OPTIONS } from '../../tests/harness/start-options.ts';
import { attacks, launch, steadyLoad, type Tally } from './attacks.ts';
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

/** An attack or load on a new service. */
interface Row {
  readonly name: string;
  readonly act: (port: number) => Promise<Tally>;
}

/** The limit of the Kubernetes manifest, the smallest one published. @returns bytes */
function publishedLimit(): number {
  const manifest = readFileSync(resolve(REPOSITORY, 'deploy/kubernetes/statefulset.yaml'), 'utf8');
  const [, mebibytes] = /\blimits: \{ memory: (\d+)Mi \}/.exec(manifest) ?? [];
  if (mebibytes === undefined) throw new Error('deploy/kubernetes/statefulset.yaml has no limit of memory in Mi.');
  return Number(mebibytes) * MIB;
}

async function isSigning(service: ServiceProcess): Promise<boolean> {
  const order = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', amount: '1' } };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const signed = await service.post('/sign', order).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (signed) return true;
    await new Promise((later) => setTimeout(later, 1000));
  }
  return false;
}

/** Runs a row with a new service. @returns whether it still signs */
async function check(row: Row, limit: number): Promise<boolean> {
  const group = MemoryCgroup.create(`signing-service-${process.pid}`, limit);
  if (group === null) throw new Error('The memory control group could not be created.');
  const place = new Workplace();
  place.keptOutput = 100_000;
  try {
    await place.prepare('init');
    await addSigner(place);
    place.launcher = group.launcher(START_OPTIONS);
    const service = await place.start();
    const tally = await row.act(Number(new URL(service.url).port));
    const signs = await isSigning(service);
    const peak = group.peakBytes;
    const share = `${Math.round((100 * peak) / limit)} %`;
    printTable({ [row.name]: { 'peak MiB': Math.round(peak / MIB), 'of limit': share, signs, ...tally } });
    return signs;
  } finally {
    await place.remove();
    await group.remove();
  }
}

const limit = publishedLimit();
const probe = process.geteuid?.() === 0 ? MemoryCgroup.create(`signing-service-probe-${process.pid}`, limit) : null;
if (probe === null) {
  print('This needs Linux, root and a memory control group that can be written to.');
  process.exitCode = 2;
} else {
  await probe.remove();
  print(`Node ${process.version}; limit ${limit / MIB} MiB, no swap; node ${START_OPTIONS.join(' ')}\n`);
  const rows: readonly Row[] = [
    { name: 'start', act: async () => ({}) },
    ...attacks().map((attack) => ({ name: attack.name, act: (port: number) => launch(attack, port) })),
    ...[1, 2, 10].map((times) => ({
      name: `${times * RATED} requests a second for ${LOAD_SECONDS} s`,
      act: (port: number) => steadyLoad(port, times * RATED, LOAD_SECONDS),
    })),
  ];
  for (const row of rows) {
    if (await check(row, limit)) continue;
    process.exitCode = 1;
  }
  if (process.exitCode === 1) print('\nFAILED: the service was killed, or did not sign any more.');
}
