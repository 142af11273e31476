import type { HttpTarget } from '../load/http-connection.ts';
import type { Reply } from '../load/load-process.ts';
import type { Quantiles } from '../measured-latencies.ts';
import type { RequestKind } from './request-texts.ts';

/** What the process of the callers is to do. */
export interface Drive {
  /** Each gets so many connections; requests are spread over all of them. */
  readonly targets: readonly HttpTarget[];
  readonly connections: number;
  readonly requests: RequestKind;
  /** So many a second, whatever the answers do; null: each connection goes on when it has its answer. */
  readonly perSecond: number | null;
  /** Before anything counts, milliseconds. */
  readonly warmUpMs: number;
  readonly ms: number;
  /** Replies that are told whole, so that their signatures can be verified. */
  readonly samples: number;
  /** Processes whose use of the processor and memory is told. */
  readonly pids: readonly number[];
}

/** What came of it. Every answer had status 200 and, in batches, no failed item. */
export interface Driven extends Quantiles {
  /** Within {@link ms}. */
  readonly answers: number;
  /** That were measured. */
  readonly ms: number;
  /** Processors that the callers themselves kept busy: near 1 it was they that were measured. */
  readonly callerCores: number;
  /** Processors that were busy with neither the callers nor those processes: on a machine for itself next to nothing. */
  readonly otherCores: number;
  /** Of all processes together, while it was measured. */
  readonly cpuSeconds: number;
  /** Resident memory of all processes together at the end. */
  readonly rssBytes: number;
  readonly samples: readonly Reply[];
  /** The head of the first sample: all of its bytes up to the body. */
  readonly head: string;
}
