import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Instance, type Options, type Request, type Result } from 'autocannon';
import { quantiles } from '../proof/statistics.ts';
import { cpuSeconds, residentBytes } from '../service/process-use.ts';
import { watchMachine } from './disturbance.ts';
import type { Round } from './rounds.ts';

/** A running server. */
interface Server {
  readonly url: string;
  /** All its processes. */
  readonly pids: readonly number[];
}

/** Callers that each wait for the response. */
interface Load {
  /** To each server. */
  readonly connections: number;
  readonly signaturesPerRequest: number;
  /** Requests of one connection, which repeats them. */
  readonly createRequests: () => Request[];
  /** Whether a response of status 2xx is a success; absent: always. */
  readonly isSuccess?: (body: string) => boolean;
}

/** Duration of a measurement, milliseconds. */
export interface Slice {
  readonly warmUpMs: number;
  readonly ms: number;
}

/** Rounds are stopped long before. */
const MAX_SECONDS = 120;
/** How often autocannon checks for its end, milliseconds. */
const POLL_MS = 50;

/**
 * Loads servers with autocannon, in this process, and measures a slice.
 * @throws Error for a failed request, or if a process of a server has ended
 */
export async function runLoad(servers: readonly Server[], load: Load, { warmUpMs, ms }: Slice): Promise<Round> {
  const pids = servers.flatMap((server) => server.pids);
  const latencies: number[] = [];
  let isMeasuring = false;
  const runs = servers.map(({ url }) =>
    start(toOptions(url, load), (responseMs) => {
      if (isMeasuring) latencies.push(responseMs);
    }),
  );
  try {
    await Promise.all(runs.map(({ started }) => started));
    await sleep(warmUpMs);
    const isDisturbed = watchMachine([process.pid, ...pids]);
    const [from, cpuFrom] = [performance.now(), cpuSeconds(...pids)];
    isMeasuring = true;
    await sleep(ms);
    isMeasuring = false;
    const [seconds, cpu] = [(performance.now() - from) / 1000, cpuSeconds(...pids) - cpuFrom];
    const state = { cores: cpu / seconds, memoryBytes: residentBytes(...pids), isDisturbed: isDisturbed() };
    await stop(runs);
    const signatures = latencies.length * load.signaturesPerRequest;
    const { p50, p99 } = quantiles(latencies);
    return { perSecond: signatures / seconds, cpuPer1000: (cpu / signatures) * 1000, p50, p99, ...state };
  } finally {
    for (const { instance } of runs) instance.stop();
  }
}

async function stop(runs: readonly Run[]): Promise<void> {
  for (const { instance } of runs) instance.stop();
  for (const { errors, non2xx, mismatches } of await Promise.all(runs.map(({ result }) => result))) {
    if (errors + non2xx + mismatches > 0) {
      throw new Error(`${errors} errors, ${non2xx} responses other than 2xx, ${mismatches} batches with failed items.`);
    }
  }
}

function toOptions(url: string, { connections, createRequests, isSuccess }: Load): Options {
  return {
    url,
    connections,
    duration: MAX_SECONDS,
    sampleInt: POLL_MS,
    // A failed connection ends the round.
    bailout: 1,
    tlsOptions: { rejectUnauthorized: false },
    ...(isSuccess && { verifyBody: (body) => isSuccess(String(body)) }),
    setupClient: (client) => client.setRequests(createRequests()),
  };
}

interface Run {
  readonly instance: Instance;
  /** Resolves once as many responses as connections have arrived, or with the result. */
  readonly started: Promise<unknown>;
  readonly result: Promise<Result>;
}

/** autocannon's promise has no events, its instance no promise. */
function start(options: Options, onResponse: (ms: number) => void): Run {
  let settle = (_error: unknown, _result: Result) => {};
  const result = new Promise<Result>((resolve, reject) => {
    settle = (error, one) => (error ? reject(error) : resolve(one));
  });
  const instance = autocannon(options, (error, one) => settle(error, one));
  instance.on('response', (_client, _status, _bytes, responseMs) => onResponse(responseMs));
  const started = Promise.race([
    result,
    new Promise<void>((resolve) => {
      let responses = 0;
      instance.on('response', () => {
        responses += 1;
        if (responses === options.connections) resolve();
      });
    }),
  ]);
  return { instance, started, result };
}
