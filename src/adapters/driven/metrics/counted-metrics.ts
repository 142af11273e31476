import type { CountedMetric } from './metric-definition.ts';

/** A signature takes 0.1 ms to make and some milliseconds to record; what takes longer than the last bound waits for a disk that hangs. Seconds. */
const WORK_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** A request can take as long as its body is on its way: half a minute. Seconds. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Up to the most items that a batch can be allowed to have. */
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** Metrics that are counted as things happen, by what is told through the port. */
export const COUNTED_METRICS = {
  attempts: {
    name: 'signing_attempt_duration_seconds',
    type: 'histogram',
    help: 'Time from a request to sign or to verify until its record was durable; each item of a batch counts the time of the batch divided by its items. The 99th percentile of successes is what callers feel; outcome failed is a fault of the service, refused one of the request.',
    labels: ['operation', 'platform', 'algorithm', 'outcome'],
    buckets: WORK_SECONDS,
  },
  faults: {
    name: 'signing_attempt_errors_total',
    type: 'counter',
    help: 'Attempts to sign or to verify that ended without, by error code and reason. Look at any SIGNATURE_FAILED: SIGNATURE_FAULTY is a fault of memory or processor, AUDIT_UNAVAILABLE one of the disk.',
    labels: ['operation', 'platform', 'code', 'reason'],
  },
  batches: {
    name: 'signing_batch_items',
    type: 'histogram',
    help: 'Items of each batch that was taken on. Many small batches could be larger ones; batches near SIGNING_MAX_BATCH will be refused when they grow.',
    labels: [],
    buckets: BATCH_ITEMS,
  },
  commits: {
    name: 'signing_audit_commit_duration_seconds',
    type: 'histogram',
    help: 'Time from handing over an audit record until it was durable, or with outcome failed until it was given up. It is the disk: every signature waits for it.',
    labels: ['outcome'],
    buckets: WORK_SECONDS,
  },
  requests: {
    name: 'signing_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the headers of an HTTP request to the end of its answer, by method, pattern of the route and status; (none) for what no route took, and as status where the connection ended before the answer.',
    labels: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
  },
  refusals: {
    name: 'signing_http_refusals_total',
    type: 'counter',
    help: 'HTTP requests that were answered with an error, by its code and reason. Look for a rise of UNAUTHENTICATED and FORBIDDEN (somebody tries), and for any INTERNAL_ERROR.',
    labels: ['code', 'reason'],
  },
} as const satisfies { readonly [name: string]: CountedMetric };
