import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { auditedUsage } from '../../tests/harness/audited-usage.ts';
import { replaceFile } from '../../tests/harness/generated-accounts.ts';
import { print } from '../../tests/harness/print.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { Load } from '../load/load.ts';
import { randomRequests } from '../load/signing-requests.ts';
import { formatQuantiles, quantiles } from '../load/statistics.ts';
import { type Cleanup, runBounded } from '../run/bounded-run.ts';
import { BROKEN_FILES, ChangingAccounts } from './changing-accounts.ts';
import { InstallationHistory } from './installation-history.ts';

/*
 * Reloads 500 times by endpoint, SIGHUP and watch, every eighth time a broken file, and rotates and
 * retires the master key five times, under load with singles and batches. Every signature is
 * verified independently under a key that the account had then; batch items match generations in
 * order; permanent accounts are never refused. Exit code 1 if not. Under three minutes.
 *
 * npm run test:slow -- reload [-- --reloads 500]
 */

const ROTATIONS = 5;
const LIMIT_MS = 290_000;
const STAYING = 30;
const ACCOUNTS = 60;
const BROKEN_EVERY = 8;
/** Few, since a watch waits a second for the file to settle. */
const WATCHED_EVERY = 10;
const LONGEST_PAUSE_MS = 60;
const CALLS_PER_SECOND = 100;
const BATCHES = { every: 10, size: 10 };
const RELOAD_MS = 10_000;
const POLL_MS = 2;

const LOADED = 'Credentials loaded.';
const REFUSED = 'Credentials could not be loaded.';

type Outcome = typeof LOADED | typeof REFUSED;
type Way = 'endpoint' | 'SIGHUP' | 'watching';

/** Reloads a service and determines the outcome from response or log. */
class Reloads {
  readonly #service: ServiceProcess;
  /** When the last reload with an outcome began or was refused, `Date.now()`. */
  readonly #times = { [LOADED]: 0, [REFUSED]: 0 };

  constructor(service: ServiceProcess) {
    this.#service = service;
    service.process.onLine((text) => {
      if (!text.includes(LOADED) && !text.includes(REFUSED)) return;
      const { time, message, facts } = JSON.parse(text);
      this.#times[message as Outcome] = Date.parse(facts?.reloadedAt ?? time);
    });
  }

  /** Resolves at the outcome of the written file. @throws Error for another one, or none in 10 s */
  async reload(way: Way, outcome: Outcome): Promise<void> {
    const writtenAt = Date.now();
    if (way === 'endpoint') {
      const { status, body } = await this.#service.post('/config/reload');
      const isExpected = outcome === LOADED ? status === 200 : body.error?.code === 'CONFIG_LOAD_FAILED';
      if (!isExpected) throw new Error(`Expected '${outcome}', got ${status} ${JSON.stringify(body)}`);
      return;
    }
    // A reload that began in the same millisecond may have read the old file.
    if (way === 'SIGHUP') {
      await sleep(POLL_MS);
      this.#service.process.signal('SIGHUP');
    }
    for (const limit = performance.now() + RELOAD_MS; this.#times[outcome] <= writtenAt; await sleep(POLL_MS)) {
      if (performance.now() > limit) throw new Error(`By ${way}, no '${outcome}' within ${RELOAD_MS} ms.`);
    }
  }
}

/** Reloads by each way in turn, some of them of a broken file. */
async function reloadOften(
  count: number,
  file: string,
  driver: Reloads,
  accounts: ChangingAccounts,
  history: InstallationHistory,
) {
  for (let nth = 1; nth <= count; nth += 1) {
    // Rotates the ways of broken files, too.
    const turn = nth + Math.floor(nth / BROKEN_EVERY);
    const byHand = turn % 2 === 0 ? 'endpoint' : 'SIGHUP';
    const way = turn % WATCHED_EVERY === 0 ? 'watching' : byHand;
    const outcome = nth % BROKEN_EVERY === 0 ? REFUSED : LOADED;
    if (outcome === REFUSED) {
      BROKEN_FILES[randomInt(way === 'watching' ? 2 : 3)]?.(file, accounts.text);
      await driver.reload(way, outcome);
    } else {
      accounts.change();
      history.begin(accounts.generation);
      if (randomInt(2) === 0) replaceFile(file, accounts.text);
      else writeFileSync(file, accounts.text);
      await driver.reload(way, outcome);
      history.isInForce();
    }
    await sleep(randomInt(LONGEST_PAUSE_MS));
  }
}

/**
 * Rotates the master key, retires the old one, and reloads after both, without a change of
 * accounts.
 */
async function rotateOften(place: Workplace, driver: Reloads): Promise<void> {
  for (let nth = 1; nth <= ROTATIONS; nth += 1) {
    for (const command of [['rotate'], ['retire', '--yes']]) {
      await place.done('master-key', ...command);
      await driver.reload('endpoint', LOADED);
    }
  }
}

async function prove(cleanup: Cleanup): Promise<boolean> {
  const { values } = parseArgs({ options: { reloads: { type: 'string', default: '500' } } });
  const place = new Workplace({ SIGNING_WATCH: 'true' });
  place.keptOutput = 100_000;
  cleanup.add(() => place.remove());
  await place.done('init');
  const accounts = new ChangingAccounts(place.path('master.key'), STAYING, ACCOUNTS);
  const history = new InstallationHistory();
  const file = place.path('credentials.json');
  history.begin(accounts.generation);
  replaceFile(file, accounts.text);
  const service = await place.start();
  print(`${ACCOUNTS} accounts, ${STAYING} of which stay; ${CALLS_PER_SECOND} calls/s, one in ten a batch`);

  const requests = randomRequests((LIMIT_MS / 1000) * CALLS_PER_SECOND, ACCOUNTS, BATCHES);
  const load = new Load({ port: Number(new URL(service.url).port) }, requests);
  const loading = load.run({ perSecond: CALLS_PER_SECOND }, LIMIT_MS);
  const driver = new Reloads(service);
  await reloadOften(Number(values.reloads), file, driver, accounts, history);
  replaceFile(file, accounts.text);
  await driver.reload('endpoint', LOADED);
  await rotateOften(place, driver);
  load.stop();
  const replies = await loading;
  const { exitCode } = await service.stop();
  accounts.close();

  const { issues, signatures, refusals } = history.check(replies);
  const audited = await auditedUsage(place, [place.folder]);
  for (const issue of issues.slice(0, 10)) print(issue);
  print(`Calls: ${replies.length}, of which ${issues.length} wrong or failed`);
  print(`Signatures verified: ${signatures.length}; on the audit record: ${audited.totalSigns}`);
  print(`Rotations of the master key meanwhile: ${ROTATIONS}`);
  print(`Refusals of accounts that were disabled or away: ${refusals}`);
  print(`Latency: ${formatQuantiles(quantiles(replies.map(({ ms }) => ms)))}`);
  print(`The service ended with exit code ${exitCode}`);
  const isRight =
    issues.length === 0 && signatures.length > 0 && audited.totalSigns === signatures.length && exitCode === 0;
  print(isRight ? 'Shown: no request failed, no signature was wrong.' : 'FAILED');
  return isRight;
}

await runBounded(LIMIT_MS, prove);
