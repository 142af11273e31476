import type { Clock } from '../../ports/clock.ts';
import type { MetricsRecorder } from '../../ports/metrics.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { CallerLeftError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { CallContext, SignedResult, SignRequest } from '../model/sign-request.ts';
import { type EndedSigning, MAX_SIGNED_TOGETHER, type SignRequestService } from './sign-request-service.ts';

/** One item of a batch. */
export interface BatchItem extends SignRequest {
  /** Chosen by the caller, unique within the batch, echoed in the result. */
  readonly requestId: string;
}

/** Result of one item. */
export interface BatchItemResult {
  readonly requestId: string;
  readonly outcome: Outcome<SignedResult>;
}

/** One result per item, in request order; successful + failed = total. */
export interface BatchResult {
  readonly results: readonly BatchItemResult[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

/**
 * Up to this many items count as single requests; larger batches yield first, because many can
 * arrive at once.
 */
const MAX_UNYIELDED_ITEMS = 16;

/**
 * Signs many requests in one call. Items succeed or fail independently and don't hold up other
 * requests. Each slice uses the configuration in force, so that a disabled account signs no further
 * item, and none is begun for a caller that has left.
 */
export class SignBatchService {
  readonly #signing: SignRequestService;
  readonly #clock: Clock;
  readonly #metrics: MetricsRecorder;

  constructor(signing: SignRequestService, clock: Clock, metrics: MetricsRecorder) {
    this.#signing = signing;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /**
   * Signs every item; requestIds must be unique.
   * @throws CallerLeftError after the last item that was begun; each of those is recorded
   */
  async signAll(items: readonly BatchItem[], context: CallContext): Promise<BatchResult> {
    this.#metrics.batchAccepted(items.length);
    const startedAt = this.#clock.monotonic();
    const signed = await this.#signInSlices(items, context);
    // Items share the batch's time equally: none took all of it.
    const shareMs = (this.#clock.monotonic() - startedAt) / items.length;
    for (const ended of signed) this.#signing.count(ended, context.principal, shareMs);
    if (signed.length < items.length) throw new CallerLeftError();
    const results = signed.map(({ outcome }, index) => ({ requestId: (items[index] as BatchItem).requestId, outcome }));
    const successful = results.filter(({ outcome }) => outcome.ok).length;
    return { results, summary: { total: results.length, successful, failed: results.length - successful } };
  }

  async #signInSlices(items: readonly BatchItem[], context: CallContext): Promise<readonly EndedSigning[]> {
    const signed: Promise<readonly EndedSigning[]>[] = [];
    let done = 0;
    const slice = new TimeSlice(this.#clock);
    if (items.length > MAX_UNYIELDED_ITEMS) await slice.yieldNow();
    const limited = this.#signing.isLimited ? await this.#signing.limitAll(items, context.principal, slice) : [];
    while (done < items.length && context.hasLeft?.() !== true) {
      const startedAt = this.#clock.monotonic();
      const first = done;
      const tasks = items.slice(first, first + MAX_SIGNED_TOGETHER).map((request, index) => {
        const { requestId: batchRequestId } = request;
        return { request, context, batchRequestId, startedAt, limited: limited[first + index] ?? null };
      });
      const taken = this.#signing.signSome(tasks);
      done += taken.length;
      const ended = Promise.all(taken);
      // Promise.all below reports it; until then it must not be unhandled.
      ended.catch(() => undefined);
      signed.push(ended);
      await slice.yieldIfExpired();
    }
    return (await Promise.all(signed)).flat();
  }
}
