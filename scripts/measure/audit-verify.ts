import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from '../bench/drive.ts';
import { Limits } from '../proof/limits.ts';
import { type Cleanup, numberArgument, runBounded } from '../run/bounded-run.ts';
import { formatMegabytes, print } from '../run/print.ts';
import { makeInstallation, startBenchService } from '../service/bench-service.ts';
import { cpuSeconds } from '../service/process-use.ts';
import { makeAccounts } from '../service/sealed-accounts.ts';

/*
 * Speed and memory of `audit verify --usage` on files of a service that signed batches. Exit code 1
 * if verification fails.
 *
 * npm run measure -- audit-verify [--seconds 30]
 */

const LIMIT_MS = 600_000;
const ACCOUNTS = 1000;
const POLL_MS = 20;

async function measure(cleanup: Cleanup): Promise<boolean> {
  const seconds = numberArgument('--seconds', 30);
  const { place, accounts } = await makeInstallation(cleanup, (file) => makeAccounts(file, ACCOUNTS));
  const service = await startBenchService({ place }, cleanup);
  const work = { algorithm: 'ed25519', batch: 100, connections: 4 } as const;
  await drive([service], work, { warmUpMs: 0, ms: seconds * 1000 }, accounts);
  process.kill(service.pid, 'SIGTERM');
  await service.ended();

  const files = readdirSync(service.place.folder)
    .filter((name) => /^audit\..*jsonl$/.test(name))
    .map((name) => join(service.place.folder, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  print(`  verifying ${formatMegabytes(bytes)} of audit files`);
  const begin = performance.now();
  service.place.launcher = [];
  const command = service.place.spawn('cli.js', ['audit', 'verify', '--usage', '--json', ...files]);
  const used = { cpu: 0, peak: 0 };
  let isOver = false;
  const ended = command.ended().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    sampleUse(command.pid, used);
    await sleep(POLL_MS);
  }
  const { exitCode, stderr } = await ended;
  const took = (performance.now() - begin) / 1000;
  print(
    `  ${took.toFixed(1)} s; ${formatMegabytes(bytes / used.cpu)} for each second of processor time; at most ${formatMegabytes(used.peak)} resident`,
  );
  const limits = new Limits();
  limits.below('exit code of audit verify', exitCode ?? 1, 1, '');
  limits.print();
  if (!limits.allHold) print(stderr);
  return limits.allHold;
}

/** /proc loses the process when it ends. */
function sampleUse(pid: number, used: { cpu: number; peak: number }): void {
  try {
    used.cpu = cpuSeconds(pid);
    const [, kib = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    used.peak = Math.max(used.peak, Number(kib) * 1024);
  } catch {}
}

await runBounded(LIMIT_MS, measure);
