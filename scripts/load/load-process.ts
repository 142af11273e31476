import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { HttpTarget } from './http-connection.ts';

/** A load. */
export interface Load {
  readonly target: HttpTarget;
  /** Signs for a random one of these (account-names.ts). */
  readonly accounts: readonly number[] | { readonly count: number };
  /** Open loop at a rate, or callers that each wait for their response. */
  readonly pace: { readonly perSecond: number } | { readonly callers: number };
  /** One batch in every so many calls; null: none. */
  readonly batches: { readonly every: number; readonly size: number } | null;
  /** Retries of calls without response or with a 5xx. */
  readonly retries: number;
  /** Whether to report replies besides latencies. */
  readonly reportsReplies: boolean;
  /** Maximum duration, milliseconds. */
  readonly ms: number;
}

/** A signature by this account over {@link toData} the call. */
export interface SigningTask {
  readonly account: number;
  readonly call: number;
  /** Bytes of the data's canonical JSON, padded by a note; absent: without a note. */
  readonly payloadBytes?: number;
}

/** Outcome of a call. */
export interface Reply {
  /** One, or the items of a batch. */
  readonly tasks: readonly SigningTask[];
  readonly isBatch: boolean;
  /** `Date.now()` before the first attempt and after the last. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Status of the last attempt; 0 without complete response. */
  readonly status: number;
  /** Response body, or the connection's error. */
  readonly body: string;
}

/** Results since the previous report, several a second. */
export interface LoadReport {
  /** `Date.now()` of each call, and its latency in milliseconds. */
  readonly latencies: readonly (readonly [sentAt: number, ms: number])[];
  /** Status and start of the body of failed calls and of batches with failed items. */
  readonly failures: readonly string[];
  /** Attempts after the first. */
  readonly retries: number;
  /** Attempts without complete response. */
  readonly dropped: number;
  /** Empty unless requested. */
  readonly replies: readonly Reply[];
  readonly isLast: boolean;
}

/** Unique data for each call. */
export function toData({ call, payloadBytes }: SigningTask): { readonly [field: string]: string | number } {
  const order = { call, market: 'SOL-USDC', side: 'buy', amount: '1.50' };
  if (payloadBytes === undefined) return order;
  const length = JSON.stringify({ ...order, note: '' }).length;
  return { ...order, note: 'n'.repeat(payloadBytes - length) };
}

/** Callers in a separate process, so that they don't share the service's event loop. */
export class LoadProcess {
  readonly #child: ChildProcess;
  #ended: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#child = fork(resolve(import.meta.dirname, 'load-callers.ts'), { execArgv: ['--import', 'tsx'] });
  }

  get pid(): number {
    return Number(this.#child.pid);
  }

  /** Starts a load; one at a time. Connections of the previous one stay open. */
  start(load: Load, onReport: (report: LoadReport) => void): void {
    this.#ended = new Promise<void>((done, fail) => {
      const end = () => fail(new Error('The process of the callers ended.'));
      const receive = (report: LoadReport) => {
        onReport(report);
        if (!report.isLast) return;
        this.#child.off('message', receive).off('exit', end);
        done();
      };
      this.#child.on('message', receive).once('exit', end);
    });
    // `ended` reports it.
    this.#ended.catch(() => undefined);
    this.#child.send(load);
  }

  /** Resolves after the last report. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** Stops calling; resolves after the last response and report. */
  async stop(): Promise<void> {
    this.#child.send('stop');
    await this.#ended;
  }

  /** Runs a load and returns all latencies, milliseconds. @throws Error if a call failed */
  async measure(load: Load): Promise<readonly number[]> {
    const latencies: number[] = [];
    const failures: string[] = [];
    this.start(load, (report) => {
      for (const [, ms] of report.latencies) latencies.push(ms);
      failures.push(...report.failures);
    });
    await this.ended();
    if (failures.length > 0) throw new Error(`${failures.length} calls failed, the first with ${failures[0]}`);
    return latencies;
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
