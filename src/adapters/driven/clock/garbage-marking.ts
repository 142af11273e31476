import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/** V8 means to be done within that (IncrementalMarking). A marking that it gives up has no end that is told of. */
const LONGEST_MS = 500;

/**
 * Knows when V8 marks the whole heap to find what is garbage (perf_hooks, entries `gc`). It does so in steps between the turns of the event loop, and in other threads. The more objects there are the longer that
 * goes on; meanwhile turns take longer, the more so the more memory is asked for in them. One instance watches for the rest of the process.
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

  /** Whether it does so now, as far as was told of by this turn. */
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
