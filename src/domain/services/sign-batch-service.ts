import type { Outcome } from '../model/outcome.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SignRequestService } from './sign-request-service.ts';

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

/** Signs many requests in one call. Items succeed or fail each on its own; all see the same generation of accounts. */
export class SignBatchService {
  readonly #registry: RegistryHolder;
  readonly #signing: SignRequestService;

  constructor(registry: RegistryHolder, signing: SignRequestService) {
    this.#registry = registry;
    this.#signing = signing;
  }

  /** Signs every item; the caller has checked that requestIds are unique. */
  async signAll(items: readonly BatchItem[], context: CallContext): Promise<BatchResult> {
    const registry = this.#registry.current;
    const results = await Promise.all(
      items.map(async (item) => ({
        requestId: item.requestId,
        outcome: await this.#signing.signWith(registry, item, context, item.requestId),
      })),
    );
    const successful = results.filter(({ outcome }) => outcome.ok).length;
    return { results, summary: { total: results.length, successful, failed: results.length - successful } };
  }
}
