import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { type ServiceProcess, Workplace } from '../../tests/e2e/service-process.ts';
import type { OverloadRequest, OverloadResult } from '../load/overload-callers.ts';
import { startQuietService } from '../service/measured-service.ts';

/*
 * Offers ten times the measured capacity for a minute, and again beside 1,000 idle connections;
 * service and callers share the machine. Exit code 1 for responses other than 200 and 503 or
 * growing memory. Under 3 minutes.
 *
 * npm run measure -- overload [--seconds N] [--pipelined N]
 *
 * --pipelined: maximum requests in flight on each of the 2048 connections, by default one
 */

const TIMES = 10;
const CAPACITY_SECONDS = 4;
const READINGS = 5;
const REST_MS = 3000;
const IDLE = 1000;
const MIB = 2 ** 20;
/** Growth from the second to the last reading that counts as flat, MiB. */
const FLAT_MIB = 48;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, pipelined: { type: 'string', default: '1' } },
});
const seconds = Number(values.seconds);

function startCallers(): ChildProcess {
  return fork(resolve(import.meta.dirname, '../load/overload-callers.ts'), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
}

async function sendCommand<Question extends object, Result>(callers: ChildProcess, command: Question): Promise<Result> {
  const message = once(callers, 'message');
  callers.send(command);
  const [result] = (await message) as [Result];
  return result;
}

/** Resident memory of a process, MiB (proc_pid_status(5)). */
function residentMib(pid: number): number {
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / MIB;
}

/** Signatures a second with 64 callers. */
async function measureCapacity(url: string): Promise<number> {
  const drive = async (seconds: number) => {
    const result = await autocannon({
      url: `${url}/api/v1/sign`,
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, connections: 64, duration: seconds },
      body: JSON.stringify({ platformId: 'alpha', accountId: 'main', data: { order: 1, side: 'buy' } }),
    });
    if (result.errors + result.non2xx > 0) throw new Error('A call got no signature.');
    return result['2xx'] / result.duration;
  };
  await drive(CAPACITY_SECONDS / 2);
  return drive(CAPACITY_SECONDS);
}

async function overload(service: ServiceProcess, port: number, rate: number, idle: number): Promise<boolean> {
  const callers = startCallers();
  try {
    const readings = [residentMib(service.process.pid)];
    const pipelined = Number(values.pipelined);
    const request: OverloadRequest = { port, ms: seconds * 1000, rate, idle, pipelined };
    const message = sendCommand<OverloadRequest, OverloadResult>(callers, request);
    for (let reading = 1; reading < READINGS; reading += 1) {
      await sleep((seconds * 1000) / (READINGS - 1));
      readings.push(residentMib(service.process.pid));
    }
    const result = await message;
    await sleep(REST_MS);
    readings.push(residentMib(service.process.pid));
    return printRow(idle, result, readings);
  } finally {
    callers.kill();
  }
}

function printRow(idle: number, result: OverloadResult, readings: readonly number[]): boolean {
  const { sent, unsent, signed, refused, errors } = result;
  const perSecond = (count: number) => ((count / result.ms) * 1000).toFixed(0);
  const cells = [
    String(idle),
    ((sent + unsent) / seconds).toFixed(0),
    (sent / seconds).toFixed(0),
    perSecond(signed.count),
    perSecond(refused.count),
    signed.p50.toFixed(0),
    signed.p99.toFixed(0),
    refused.p99.toFixed(0),
    String(errors),
    `   ${readings.map((mib) => mib.toFixed(0)).join(' ')}`,
  ];
  print(cells);
  if (errors > 0) process.stdout.write(`    the first error: ${result.firstError}\n`);
  const [, second = Number.NaN, last = Number.NaN] = [readings[0], readings[1], readings[READINGS - 1]];
  return errors === 0 && signed.count > 0 && last - second < FLAT_MIB;
}

const COLUMNS = ['idle', 'offered/s', 'sent/s', '200/s', '503/s', 'p50 200', 'p99 200', 'p99 503', 'errors', 'RSS'];

function print(cells: readonly string[]): void {
  process.stdout.write(`  ${cells.map((cell) => cell.padStart(10)).join('')}\n`);
}

const place = new Workplace();
try {
  const service = await startQuietService(place);
  const port = Number(new URL(service.url).port);
  const capacity = await measureCapacity(service.url);
  const rate = TIMES * capacity;
  process.stdout.write(
    `Node ${process.version}, ${process.arch}; ed25519; ${capacity.toFixed(0)} signatures/s with 64 callers, ${TIMES} times that is offered for ${seconds} s; ms, MiB at 0, ¼, ½, ¾, 1 and at rest\n\n`,
  );
  print(COLUMNS);
  const isFine = [await overload(service, port, rate, 0), await overload(service, port, rate, IDLE)];
  const { body } = await service.get('/status');
  process.stdout.write(`\n  load afterwards: ${JSON.stringify(body.data.load)}\n`);
  if (isFine.includes(false)) {
    process.stdout.write('\n  NOT as it should be: other answers than 200 and 503, or memory that grows.\n');
    process.exitCode = 1;
  }
} finally {
  await place.remove();
}
