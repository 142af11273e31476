import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { HttpTarget } from './http-connection.ts';

/** What callers are to do, until they are stopped or the time is over. */
export interface Load {
  readonly target: HttpTarget;
  /** They sign for a random one of these (account-names.ts). */
  readonly accounts: readonly number[] | { readonly count: number };
  /** As many a second, whatever the answers do, or so many callers, each of which goes on when it has its answer. */
  readonly pace: { readonly perSecond: number } | { readonly callers: number };
  /** Every so many calls, a batch of so many items; null: singles alone. */
  readonly batches: { readonly every: number; readonly size: number } | null;
  /** How often a call is tried again that got no answer, or one that says that the service was at fault (5xx). */
  readonly retries: number;
  /** Whether every reply is told, and not only its latency. */
  readonly tellsReplies: boolean;
  /** The longest time, milliseconds. */
  readonly ms: number;
}

/** What was asked for: a signature of this account over {@link dataOf} the call. */
export interface Wish {
  readonly account: number;
  readonly call: number;
}

/** What came of one call. */
export interface Reply {
  /** One, or those of a batch. */
  readonly wishes: readonly Wish[];
  readonly isBatch: boolean;
  /** `Date.now()` before the first try and after the last. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /** HTTP status of the last try; 0 when it got no whole answer. */
  readonly status: number;
  /** Body of the answer, or why there was none. */
  readonly body: string;
}

/** What happened since the last report, a few of which come each second. */
export interface LoadReport {
  /** `Date.now()` when each call was sent, and milliseconds until its answer, whatever that was. */
  readonly latencies: readonly (readonly [sentAt: number, ms: number])[];
  /** Calls whose last try had another status than 200, and answers to batches with failed items: status and start of the body. */
  readonly failures: readonly string[];
  /** Tries after the first. */
  readonly retries: number;
  /** Tries that got no whole answer. */
  readonly dropped: number;
  /** Empty unless the load says so. */
  readonly replies: readonly Reply[];
  readonly isLast: boolean;
}

/** The data that a call asks to sign: another one each time, so that no two signatures are alike. */
export function dataOf({ call }: Wish): { readonly [field: string]: string | number } {
  return { call, market: 'SOL-USDC', side: 'buy', amount: '1.50' };
}

/** Callers in a process of their own, so that they and the service don't wait for each other's work. */
export class LoadProcess {
  readonly #child: ChildProcess;
  #ended: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#child = fork(resolve(import.meta.dirname, 'load-callers.ts'), { execArgv: ['--import', 'tsx'] });
  }

  /** Begins; one load at a time. Connections of a load before stay open. */
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
    // Whoever waits for the end is told of it.
    this.#ended.catch(() => undefined);
    this.#child.send(load);
  }

  /** Resolves after the last report. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** Sends no more calls; resolves when all are answered and reported. */
  async stop(): Promise<void> {
    this.#child.send('stop');
    await this.#ended;
  }

  /** Runs a load to its end and gives all latencies, milliseconds. @throws Error when a call failed */
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
