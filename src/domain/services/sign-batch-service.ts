import type { Clock } from '../../ports/clock.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { Outcome } from '../model/outcome.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import { type EndedSigning, MAX_SIGNED_TOGETHER, type SignRequestService } from './sign-request-service.ts';
import { TimeSlice } from './time-slice.ts';

/** One item of a batch. */
export interface BatchItem extends SignRequest {
  /** Chosen by the caller, unique within the batch, echoed in the result. */
  readonly requestId: string;
}

/** How one item ended. */
export interface BatchItemResult {
  readonly requestId: string;
  readonly outcome: Outcome<SignedResult>;
}

/** A whole batch: one result an item, in request order; successful + failed = total. */
export interface BatchResult {
  readonly results: readonly BatchItemResult[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

/**
 * A batch of so many items is like as many single requests; a bigger one yields before its first
 * item, since many can arrive at once.
 */
const MOST_ITEMS_AT_ONCE = 16;

/**
 * Signs many requests in one call. Items succeed or fail each on its own, and none holds up other
 * requests. Each slice uses the configuration in force at that moment: an account that is disabled
 * meanwhile signs no further item.
 */
export class SignBatchService {
  readonly #signing: SignRequestService;
  readonly #clock: Clock;
  readonly #metrics: Counting;

  constructor(signing: SignRequestService, clock: Clock, metrics: Counting = NO_METRICS) {
    this.#signing = signing;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Signs every item; the caller has checked that requestIds are unique. */
  async signAll(items: readonly BatchItem[], context: CallContext): Promise<BatchResult> {
    this.#metrics.batched(items.length);
    const startedAt = this.#clock.monotonic();
    const signed = await this.#signInSlices(items, context);
    // Each item counts an equal share: all of them waited for the whole batch, and none took that
    // long.
    const shareMs = (this.#clock.monotonic() - startedAt) / items.length;
    for (const ended of signed) this.#signing.count(ended, shareMs);
    const results = signed.map(({ outcome }, index) => ({ requestId: (items[index] as BatchItem).requestId, outcome }));
    const successful = results.filter(({ outcome }) => outcome.ok).length;
    return { results, summary: { total: results.length, successful, failed: results.length - successful } };
  }

  async #signInSlices(items: readonly BatchItem[], context: CallContext): Promise<readonly EndedSigning[]> {
    const signed: Promise<EndedSigning>[] = [];
    const slice = new TimeSlice(this.#clock);
    if (items.length > MOST_ITEMS_AT_ONCE) await slice.yieldNow();
    const limited = this.#signing.isLimited ? await this.#signing.limitAll(items, context.principal, slice) : [];
    while (signed.length < items.length) {
      const done = signed.length;
      const startedAt = this.#clock.monotonic();
      const tasks = items.slice(done, done + MAX_SIGNED_TOGETHER).map((request, index) => {
        const { requestId: batchRequestId } = request;
        return { request, context, batchRequestId, startedAt, limited: limited[done + index] ?? null };
      });
      for (const ended of this.#signing.signSome(tasks)) {
        // An error that nobody foresaw goes to the caller, below; meanwhile it is not unhandled.
        ended.catch(() => undefined);
        signed.push(ended);
      }
      await slice.yieldIfExpired();
    }
    return Promise.all(signed);
  }
}
