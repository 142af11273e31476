import type { MetricDefinition } from '../../ports/metrics.ts';

/** From a signature (0.1 ms) to a hanging disk. Seconds. */
const WORK_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Up to the timeout of a slow body. Seconds. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Up to the largest batch size that can be configured. */
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** Event metrics, as reported through the port. */
export const COUNTED_METRICS = {
  attempts: {
    name: 'signing_attempt_duration_seconds',
    type: 'histogram',
    help: 'Time from a sign or verify request until its audit record is durable. A batch item counts as the time of the batch divided by its number of items. The 99th percentile of outcome success is the latency for callers. Outcome refused: the request was at fault; failed: the service was.',
    labels: ['operation', 'platform', 'algorithm', 'outcome'],
    buckets: WORK_SECONDS,
  },
  errors: {
    name: 'signing_attempt_errors_total',
    type: 'counter',
    help: 'Unsuccessful attempts to sign or verify, by error code and reason. Investigate any SIGNATURE_FAILED: reason SIGNATURE_FAULTY indicates faulty memory or a faulty processor, AUDIT_UNAVAILABLE a faulty disk.',
    labels: ['operation', 'platform', 'code', 'reason'],
  },
  decisions: {
    name: 'signing_policy_decisions_total',
    type: 'counter',
    help: 'Signing requests by policy and its decision: allowed, denied, or would_deny for a policy in audit mode. An increase in denied means that a caller attempts forbidden requests or that the policy is too strict.',
    labels: ['policy', 'decision'],
  },
  budgets: {
    name: 'signing_budget_refusals_total',
    type: 'counter',
    help: 'Signing requests refused, by budget: the request exceeds the remaining budget, or its amount could not be determined. An increase means that a caller does more than it should or that the budget is too small.',
    labels: ['budget'],
  },
  batches: {
    name: 'signing_batch_items',
    type: 'histogram',
    help: 'Items per accepted batch. Many small batches could be combined; batches close to SIGNING_MAX_BATCH will be rejected if they grow.',
    labels: [],
    buckets: BATCH_ITEMS,
  },
  commits: {
    name: 'signing_audit_commit_duration_seconds',
    type: 'histogram',
    help: 'Time until an audit record is durable, or with outcome failed until it is abandoned. It reflects the speed of the disk: every signature waits for it.',
    labels: ['outcome'],
    buckets: WORK_SECONDS,
  },
  requests: {
    name: 'signing_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the headers of an HTTP request to the end of its response, by method, route pattern and status. Route (none): no route matched. Status (none): the connection ended before the response.',
    labels: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
  },
  refusals: {
    name: 'signing_http_refusals_total',
    type: 'counter',
    help: 'HTTP error responses, by code and reason. Watch for an increase in UNAUTHENTICATED and FORBIDDEN (probing) and for any INTERNAL_ERROR.',
    labels: ['code', 'reason'],
  },
  callerSignatures: {
    name: 'signing_caller_signatures_total',
    type: 'counter',
    help: 'Signatures released, by caller; only with SIGNING_METRICS_CALLERS=true. A batch counts once for each item.',
    labels: ['caller'],
  },
  callerErrors: {
    name: 'signing_caller_errors_total',
    type: 'counter',
    help: 'Attempts to sign that ended without a signature, by caller and error code; only with SIGNING_METRICS_CALLERS=true. FORBIDDEN: the permissions do not allow it. A malformed request counts in signing_http_refusals_total only.',
    labels: ['caller', 'code'],
  },
} as const satisfies { readonly [name: string]: MetricDefinition };
