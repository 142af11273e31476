import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/** V8 sets itself half a second for it (IncrementalMarking); one that it gives up has no entry. */
const LONGEST_MS = 500;

/**
 * Knows when V8 marks what is garbage in the whole heap, between two turns of the event loop and in other threads (perf_hooks, entries `gc`): with many accounts that goes on for more than a tenth of a second,
 * while which each turn takes longer, the more so the more memory is asked for meanwhile.
 */
export class GarbageMarking {
  readonly #longestMs: number;
  #beganAt = Number.NEGATIVE_INFINITY;

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#observe(entry);
    });
    observer.observe({ entryTypes: ['gc'] });
  }

  get isUnderWay(): boolean {
    return performance.now() - this.#beganAt < this.#longestMs;
  }

  #observe(entry: PerformanceEntry): void {
    const { kind } = (entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }).detail;
    // The entry of the beginning is made when it begins, that of the collection when it ends.
    if (kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL) this.#beganAt = performance.now();
    if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) this.#beganAt = Number.NEGATIVE_INFINITY;
  }
}
