import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { addSigner } from '../../tests/harness/image-service.ts';
import { print } from '../../tests/harness/print.ts';
import { Workplace } from '../../tests/harness/service-process.ts';

/*
 * How often the threads of an idle service wake, with and without SIGNING_WATCH. Exit code 1 if
 * more than five times a second. Three minutes.
 *
 * npm run measure -- idle
 */

const MAX_WAKES = 5;
const SETTLE_MS = 20_000;
const MEASURED_MS = 60_000;

for (const watch of ['true', 'false']) {
  const place = new Workplace({ SIGNING_WATCH: watch, SIGNING_ADMIN_PORT: '0' });
  try {
    await place.prepare('init');
    await addSigner(place);
    const service = await place.start();
    const data = { instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy' }, nonce: 1 };
    await service.post('/sign', { platformId: 'alpha', accountId: 'main', data });
    // Event loop lag is sampled from the first scrape.
    await fetch(`${service.adminUrl}/metrics`);
    await sleep(SETTLE_MS);
    const before = countWakes(service.process.pid);
    await sleep(MEASURED_MS);
    const wakes = (countWakes(service.process.pid) - before) / (MEASURED_MS / 1000);
    print(`SIGNING_WATCH=${watch}: ${wakes.toFixed(1)} wakes a second.`);
    if (wakes > MAX_WAKES) process.exitCode = 1;
  } finally {
    await place.remove();
  }
}

/** Times that the threads of a process gave up the processor (proc_pid_status(5)). */
function countWakes(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    const [, count] = /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`${tasks}/${task}/status`, 'utf8')) ?? [];
    return sum + Number(count);
  }, 0);
}
