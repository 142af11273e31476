import { randomInt } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workplace } from '../../tests/harness/service-process.ts';
import { LoadProcess } from '../load/load-process.ts';
import { auditedUsage } from '../proof/audited-usage.ts';
import { CheckedReplies } from '../proof/checked-replies.ts';
import { InstallationHistory } from '../proof/installation-history.ts';
import { quantiles } from '../proof/statistics.ts';
import { type Cleanup, numberArgument, runBounded } from '../run/bounded-run.ts';
import { formatMs, print } from '../run/print.ts';
import { replaceFile } from '../service/sealed-accounts.ts';
import { BROKEN_FILES, ChangingAccounts } from './changing-accounts.ts';
import { getReloadWay, Reloads } from './reload-ways.ts';

/*
 * Reloads 500 times by endpoint, SIGHUP and watch, every eighth time a broken file, under load with
 * singles and batches. Every signature is verified independently under a key that the account had
 * then; batch items match generations in order; permanent accounts are never refused. Exit code 1
 * if not. Under three minutes.
 *
 * npm run test:slow -- reload [-- --reloads 500]
 */

const LIMIT_MS = 175_000;
const RELOADS = 500;
const STAYING = 30;
const ACCOUNTS = 60;
const BROKEN_EVERY = 8;
const LONGEST_PAUSE_MS = 60;
const CALLS_PER_SECOND = 100;
const BATCHES = { every: 10, size: 10 };
const REPORT_EVERY = 100;

async function prove(cleanup: Cleanup): Promise<boolean> {
  const reloads = numberArgument('--reloads', RELOADS);
  const place = new Workplace({ SIGNING_WATCH: 'true' });
  place.keptOutput = 100_000;
  cleanup.add(() => place.remove());
  const load = new LoadProcess();
  cleanup.add(() => load.end());
  await place.done('init');
  const accounts = new ChangingAccounts(place.path('master.key'), STAYING, ACCOUNTS);
  const history = new InstallationHistory();
  const file = place.path('credentials.json');
  history.begin(accounts.generation);
  replaceFile(file, accounts.text);
  const service = await place.start();
  const replies = new CheckedReplies(history);
  print(`${reloads} reloads by endpoint, SIGHUP and watching; ${ACCOUNTS} accounts, ${STAYING} of which stay`);
  print(`${CALLS_PER_SECOND} calls/s, one in ${BATCHES.every} a batch of ${BATCHES.size}\n`);

  load.start(
    {
      target: { port: Number(new URL(service.url).port), ca: null },
      accounts: { count: ACCOUNTS },
      pace: { perSecond: CALLS_PER_SECOND },
      batches: BATCHES,
      retries: 0,
      reportsReplies: true,
      ms: LIMIT_MS,
    },
    (report) => replies.add(report),
  );
  const outcomes = new Map<string, number>();
  const driver = new Reloads(service);
  for (let count = 1; count <= reloads; count += 1) {
    // Rotates the ways of broken files, too.
    const way = getReloadWay(count + Math.floor(count / BROKEN_EVERY));
    const isBroken = count % BROKEN_EVERY === 0;
    if (isBroken) {
      // The watch waits for a missing file to reappear.
      const kinds = Object.keys(BROKEN_FILES).filter((kind) => way !== 'watching' || kind !== 'missing');
      BROKEN_FILES[kinds[randomInt(kinds.length)] ?? '']?.(file, accounts.text);
      await driver.reload(way, 'refused');
    } else {
      accounts.change();
      history.begin(accounts.generation);
      if (randomInt(2) === 0) replaceFile(file, accounts.text);
      else writeFileSync(file, accounts.text);
      await driver.reload(way, 'loaded');
      history.isInForce();
    }
    const name = `${way}, ${isBroken ? 'a broken file: refused' : 'a good file: in force'}`;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    if (count % REPORT_EVERY === 0) print(`  ${count} reloads, ${replies.signatures.length} signatures verified`);
    await sleep(randomInt(LONGEST_PAUSE_MS));
  }
  await load.stop();
  const { exitCode } = await service.stop();
  accounts.close();
  return report(place, replies, outcomes, exitCode);
}

async function report(
  place: Workplace,
  replies: CheckedReplies,
  outcomes: ReadonlyMap<string, number>,
  exitCode: number | null,
): Promise<boolean> {
  print('\nReloads');
  for (const [name, times] of outcomes) print(`  ${name}: ${times}`);
  const { p50, p99, max } = quantiles(replies.latencies);
  const files = readdirSync(place.folder).filter((name) => /^audit\.(?:\d+-\d+\.)?jsonl$/.test(name));
  const audited = await auditedUsage(place, files);
  print(
    `Calls: ${replies.calls}, of which ${replies.issueCount} wrong or failed; dropped connections: ${replies.dropped}`,
  );
  print(`Signatures verified: ${replies.signatures.length}; on the audit record: ${audited.totalSigns}`);
  print(`Refusals of accounts that were disabled or away: ${replies.refusals}`);
  print(`Latency: p50 ${formatMs(p50)}   p99 ${formatMs(p99)}   max ${formatMs(max)}`);
  print(`The service ended with exit code ${exitCode}`);
  for (const issue of replies.issues) print(`- ${issue}`);
  const isRight =
    replies.issueCount === 0 &&
    replies.dropped === 0 &&
    replies.signatures.length > 0 &&
    audited.totalSigns === replies.signatures.length &&
    exitCode === 0;
  print(isRight ? '\nShown: no request failed, no signature was wrong.' : '\nFAILED');
  return isRight;
}

await runBounded(LIMIT_MS, prove);
