import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, Workplace } from '../../tests/e2e/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../../tests/e2e/start-options.ts';
import { credentialsText, replaceFile, type SealedAccount } from './sealed-accounts.ts';

const READY_MS = 60_000;
const LOOK_MS = 20;

/** A service with accounts of a script's making, in a folder and a process of its own. */
export interface SizedService {
  readonly place: Workplace;
  readonly service: ServiceProcess;
  /** From the start of the process until it listens and says that it is ready, milliseconds. */
  readonly startMs: number;
}

/** An installation without accounts, whose credentials file only reloads by endpoint or signal put in force. Its programs have the options of node that the image gives them. */
export async function emptyPlace(environment: { readonly [name: string]: string } = {}): Promise<Workplace> {
  const place = new Workplace(environment);
  place.launcher = withNodeOptions(...START_OPTIONS);
  place.keptOutput = 100_000;
  await place.done('init');
  return place;
}

/** Writes the accounts and starts a service with them. They have to be sealed under the master key of the place. */
export async function startSized(place: Workplace, accounts: readonly SealedAccount[]): Promise<SizedService> {
  replaceFile(place.path('credentials.json'), credentialsText(accounts));
  const from = performance.now();
  const service = await place.start();
  // Without accounts it never is.
  if (accounts.length > 0) await ready(service.url);
  return { place, service, startMs: performance.now() - from };
}

/** Resolves once the service says that it is ready; where it has no readiness, once its status is healthy. */
export async function ready(url: string): Promise<void> {
  const limit = performance.now() + READY_MS;
  while (performance.now() < limit) {
    const answer = await fetch(`${url}/readyz`);
    if (answer.status === 200) return;
    if (answer.status === 404) return expectHealthy(url);
    await sleep(LOOK_MS);
  }
  throw new Error(`${url} was not ready within ${READY_MS / 1000} s.`);
}

/** Resident memory of a process (proc(5)), bytes. */
export function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

async function expectHealthy(url: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/status`);
  const { data } = (await answer.json()) as { data?: { status?: string } };
  if (data?.status !== 'healthy') throw new Error(`${url} is not healthy.`);
}
