import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEST_CERTIFICATE } from '../tests/api/test-certificate.ts';
import { Campaign } from './fuzz/campaign.ts';
import { makeClientCertificates } from './fuzz/client-certificates.ts';
import { type Failure, failureText, writeFailures } from './fuzz/failure-file.ts';
import { FindCulprit } from './fuzz/find-culprit.ts';
import { PROXIES } from './fuzz/forwarded-cases.ts';
import { FUZZ_PERMISSIONS } from './fuzz/fuzz-permissions.ts';
import { printTotals } from './fuzz/fuzz-totals.ts';
import { type FuzzedKind, FuzzedService } from './fuzz/fuzzed-service.ts';
import { lastFaults } from './fuzz/last-checks.ts';
import { LoopWatch } from './fuzz/loop-watch.ts';
import { quantiles } from './measured-latencies.ts';
import { flatnessOf, troughsOf } from './proof/flatness.ts';
import { Limits } from './proof/limits.ts';
import { type Cleanup, runBounded } from './stage/bounded-run.ts';
import { msText, print } from './stage/print.ts';

/*
 * Sends two services hostile input for a minute, one of HTTP behind proxies that it trusts and one of HTTPS with client certificates, permissions and a listener for operators: requests whose JSON, headers, paths and encodings are not what they should be, and bytes on the connection that are no requests, or more
 * than one. Exit code 1 when an answer is none of the API's, a service ends, hangs, logs an error or keeps a socket, a place or memory, or when its record is not in order. What fails is sent again, alone and ever
 * shorter, and written to a file. Loopback only, and a bounded number a second.
 *
 * npm run fuzz [-- --seconds 60 --seed 1 --rate 400]
 *
 * --seed: the same cases in the same order; by default another one each time, which is printed
 */

const AFTERWARDS_MS = 150_000;
/** The processes that call take from the service's processors as well. */
const MOST_STALL_MS = 10_000;
const MOST_RISE = 0.1;
const MOST_MB = 800;
/** Findings that are printed as they were found. */
const MOST_FOUND = 5;
/** Parts of the time, of each of which the least memory counts. */
const TROUGHS = 30;
/** In less the memory has not settled. */
const LEAST_SECONDS_FOR_RISE = 600;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: process.env['FUZZ_SECONDS'] ?? '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '400' },
  },
});
const plan = { seconds: Number(values.seconds), seed: Number(values.seed), rate: Number(values.rate) };
if (!(plan.seconds > 0 && plan.rate > 0 && Number.isSafeInteger(plan.seed))) {
  throw new RangeError('--seconds and --rate take numbers above 0, --seed a whole number.');
}

async function fuzz(cleanup: Cleanup): Promise<boolean> {
  print(`Node ${process.version}; seed ${plan.seed}; ${plan.seconds} s, ${plan.rate} cases a second at the most\n`);
  const { certFile, keyFile } = TEST_CERTIFICATE;
  const start = async (name: string, kind: FuzzedKind) => {
    const fuzzed = await FuzzedService.start(name, kind);
    cleanup.add(() => fuzzed.place.remove());
    return fuzzed;
  };
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-fuzz-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const { caFile, contexts } = makeClientCertificates(folder);
  const proxied = { SIGNING_TRUSTED_PROXIES: PROXIES };
  const http = await start('HTTP', { environment: proxied, client: null, permissions: null });
  const https = await start('HTTPS', {
    environment: {
      ...{ SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile, SIGNING_TLS_CLIENT_CA_FILE: caFile },
      SIGNING_ADMIN_PORT: '0',
    },
    client: contexts.own,
    permissions: FUZZ_PERMISSIONS,
  });
  const loop = new LoopWatch(http.port);
  cleanup.add(() => loop.end());

  const campaign = new Campaign(plan, { http, https }, contexts);
  await campaign.run();
  await loop.end();
  printTotals(campaign.totals);
  const { p99, max } = quantiles(loop.latencies);
  print(`Health meanwhile: ${loop.latencies.length} answers, p99 ${msText(p99)}, max ${msText(max)}`);

  // Before they are made smaller, which may take longer than there is time.
  for (const { what, one } of campaign.findings.slice(0, MOST_FOUND))
    print(`- found: ${failureText({ what, cases: one === null ? [] : [one] })}`);
  const failures = [...(await culpritsOf(campaign, new FindCulprit(http, https, contexts)))];
  const limits = new Limits();
  limits.below('longest wait for an answer for health', max, MOST_STALL_MS, 'ms');
  if (campaign.areAlive) {
    for (const [name, fuzzed] of [
      ['http', http],
      ['https', https],
    ] as const) {
      judgeMemory(limits, fuzzed);
      const witness = campaign.witnesses[name].signatures;
      const seen = { least: campaign.totals[name].signatures + witness, witness };
      failures.push(...(await lastFaults(fuzzed, seen)).map((what) => ({ what, cases: [] })));
    }
  }
  limits.print();
  if (failures.length > 0) {
    for (const failure of failures) print(`- ${failureText(failure)}`);
    print(`NOT as it should be: ${writeFailures(plan.seed, failures)}`);
  }
  return failures.length === 0 && limits.allHold;
}

async function culpritsOf(campaign: Campaign, culprit: FindCulprit): Promise<readonly Failure[]> {
  if (!campaign.areAlive) return [await culprit.ofEnd(campaign.lastWords.join('; '), campaign.suspects)];
  const failures: Failure[] = [];
  for (const { what, one } of campaign.findings.slice(0, MOST_FOUND)) {
    failures.push(one === null ? { what, cases: [] } : await culprit.smallest(what, one));
  }
  return failures;
}

/**
 * The lowest points of the last third stay below a bound. In a long run what is left once the garbage is collected does not rise after the first third: how much garbage waits for that goes up and down by more than a leak
 * would be, for minutes where there is little to do.
 */
function judgeMemory(limits: Limits, { name, memory, left }: FuzzedService): void {
  const troughs = troughsOf(memory, plan.seconds / TROUGHS);
  const last = Math.max(...troughs.slice(-TROUGHS / 3).map(({ value }) => value));
  limits.below(`${name}: memory over the last third, at its lowest points`, last / 1e6, MOST_MB, 'MB');
  if (plan.seconds < LEAST_SECONDS_FOR_RISE) return;
  for (const [what, samples] of [
    ['live heap and buffers', left.live],
    ['memory beside the heap', left.native],
  ] as const) {
    const { rise, mean } = flatnessOf(troughsOf(samples, plan.seconds / TROUGHS));
    limits.below(`${name}: rise of ${what} over the last two thirds`, rise / 1e6, (mean * MOST_RISE) / 1e6, 'MB');
  }
}

await runBounded(plan.seconds * 1000 + AFTERWARDS_MS, fuzz);
