import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { print, printTable } from '../harness/print.ts';
import { FUZZ_PERMISSIONS, makeClientCertificates, PROXIES } from './caller-cases.ts';
import { Campaign, FAMILIES, type FamilyName } from './campaign.ts';
import { FuzzedService } from './fuzzed-service.ts';
import { SLOW_CASES } from './slow-cases.ts';

/**
 * Hostile input over raw sockets to two services: HTTP behind trusted proxies, and HTTPS with
 * client certificates, permissions and an operators' listener. Each family of cases is a property;
 * all run at once, with slow and ordinary callers. Loopback only, with a limited rate
 * (scripts/fuzz.ts).
 */

/** Other programs may be using the processors. */
const MAX_HEALTH_MS = 10_000;
const MAX_RISE = 0.1;
const MAX_BYTES = 800e6;
/** Memory needs this long to settle. */
const MIN_SECONDS_FOR_RISE = 600;
/** Shrunk failing cases; each may take 20 s. */
const MAX_SHRUNK = 3;
const WITNESS_MS = 500;
const MEMORY_MS = 5000;
const HEALTH_PAUSE_MS = 25;

const NAMES = Object.keys(FAMILIES) as readonly FamilyName[];
const { seconds, seed, rate, replay } = options();

describe(`The service under hostile input (seed ${seed}, ${seconds} s, at most ${rate} cases per second)`, function () {
  this.timeout(seconds * 1000 + 150_000);
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-fuzz-'));
  let http: FuzzedService;
  let https: FuzzedService;
  let campaign: Campaign;

  before(async () => {
    const { certFile, keyFile } = TEST_CERTIFICATE;
    const { caFile, contexts } = makeClientCertificates(folder);
    const proxied = { SIGNING_TRUSTED_PROXIES: PROXIES };
    http = await FuzzedService.start('HTTP', { environment: proxied, client: null, permissions: null });
    https = await FuzzedService.start('HTTPS', {
      environment: {
        ...{ SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile, SIGNING_TLS_CLIENT_CA_FILE: caFile },
        SIGNING_ADMIN_PORT: '0',
      },
      client: contexts.own,
      permissions: FUZZ_PERMISSIONS,
    });
    campaign = new Campaign({ http, https }, contexts);
  });

  after(async () => {
    await http?.place.remove();
    await https?.place.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  if (replay !== null) {
    it(`replays a case of ${replay.family}`, async () => {
      print(await campaign.shrink(replay.family, { ...replay, error: 'no fault' }));
    });
    return;
  }

  it('satisfies every invariant in each case', async () => {
    const failures: string[] = [];
    const begin = performance.now();
    const isOver = () => performance.now() - begin > seconds * 1000;
    let slowestMs = 0;
    const watchHealth = async () => {
      for (; !isOver() && http.isAlive; await sleep(HEALTH_PAUSE_MS)) {
        const from = performance.now();
        const status = await fetch(`${http.url}/healthz`).then(
          (response) => response.status,
          (error: Error) => error.message,
        );
        if (status !== 200) failures.push(`health: ${status}`);
        slowestMs = Math.max(slowestMs, performance.now() - from);
      }
    };
    const watch = async () => {
      for (let measuredAt = 0; !isOver() && http.isAlive && https.isAlive; await sleep(WITNESS_MS)) {
        for (const one of [http, https]) {
          const error = await one.witnessSignature();
          if (error !== null) failures.push(`${one.name}: ${error}`);
        }
        if (performance.now() - measuredAt < MEMORY_MS) continue;
        measuredAt = performance.now();
        await Promise.all([http.measureMemory(), https.measureMemory()]);
      }
    };
    const playSlow = async () => {
      const played = await Promise.all(
        SLOW_CASES.map(async (one) => {
          const error = await campaign.play(one);
          return error === null ? [] : [`${one.kind}: ${error}`];
        }),
      );
      failures.push(...played.flat());
    };
    const families = NAMES.map(async (family) => ({
      family,
      failing: await campaign.run(family, { seconds, seed, rate }),
    }));
    const background = [watch(), watchHealth(), playSlow()];
    const results = await Promise.all(families);
    await Promise.all(background);
    printTotals(campaign);
    print(`The slowest health check meanwhile: ${slowestMs.toFixed(0)} ms`);

    for (const one of [http, https]) if (one.lastWords !== null) failures.push(one.lastWords);
    const failing = results.flatMap(({ family, failing }) => failing.map((one) => ({ family, one })));
    for (const { family, one } of failing.slice(0, MAX_SHRUNK)) {
      failures.push(`${family}: ${await campaign.shrink(family, one)}`);
    }
    for (const { family, one } of failing.slice(MAX_SHRUNK)) failures.push(`${family}: ${one.error}`);
    expect(failures.join('\n\n'), `npm run fuzz -- --seed ${seed}`).to.equal('');
    expect(slowestMs).to.be.below(MAX_HEALTH_MS);
  });

  for (const name of ['http', 'https'] as const) {
    it(`leaves nothing in flight, and no socket open (${name})`, async () => {
      expect(await service(name).findUnsettled()).to.equal(null);
    });

    it(`keeps memory bounded (${name})`, () => {
      const { memory } = service(name);
      expect(Math.max(...memory.map(({ rss }) => rss))).to.be.below(MAX_BYTES);
      if (seconds < MIN_SECONDS_FOR_RISE) return;
      // The first third settles; the minimum of each other third leaves out what is in flight.
      const third = Math.floor(memory.length / 3);
      for (const part of ['live', 'native'] as const) {
        const values = memory.map((report) => report[part]);
        const [before, after] = [values.slice(third, 2 * third), values.slice(2 * third)];
        expect(Math.min(...after), part).to.be.below(Math.min(...before) * (1 + MAX_RISE));
      }
    });

    it(`stops gracefully, with every signature recorded and none smuggled (${name})`, async () => {
      expect(await service(name).stopAndCheck(campaign.signatures[name])).to.deep.equal([]);
    });

    it(`logs complete events and no error (${name})`, () => {
      expect(service(name).logMonitor.errors).to.deep.equal([]);
    });
  }

  function service(name: 'http' | 'https'): FuzzedService {
    return name === 'http' ? http : https;
  }
});

/** From scripts/fuzz.ts. */
function options() {
  const { FUZZ_SECONDS = '60', FUZZ_SEED = '0', FUZZ_RATE = '400', FUZZ_REPLAY = '', FUZZ_PATH = '' } = process.env;
  const plan = { seconds: Number(FUZZ_SECONDS), seed: Number(FUZZ_SEED), rate: Number(FUZZ_RATE) };
  if (!(plan.seconds > 0 && plan.rate > 0 && Number.isSafeInteger(plan.seed))) {
    throw new RangeError('--seconds and --rate take numbers above 0, --seed a whole number.');
  }
  if (FUZZ_REPLAY === '') return { ...plan, replay: null };
  const family = NAMES.find((name) => name === FUZZ_REPLAY);
  if (family === undefined || FUZZ_PATH === '') {
    throw new RangeError(`--replay takes one of ${NAMES.join(', ')}, and needs --seed and --path.`);
  }
  return { ...plan, replay: { family, seed: plan.seed, path: FUZZ_PATH } };
}

function printTotals({ kinds, statuses, signatures }: Campaign): void {
  printTable(Object.fromEntries([...kinds].sort()));
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`);
  print(`\nResponses: ${counts.join(', ')}; signatures: ${signatures.http + signatures.https}`);
}
