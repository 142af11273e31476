import type { RateLimitState } from '../../../../domain/model/service-state.ts';
import { counter, gauge, type ReadMetric, type Sample } from '../metric-definition.ts';

/** How much is asked for, and what is refused for that. */
export const TRAFFIC_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_in_flight_signatures',
    'Signatures and verifications in the making. Near its limit, requests wait.',
    ({ traffic }) => traffic.inFlight,
  ),
  gauge(
    'signing_in_flight_signatures_limit',
    'Most of them at once: SIGNING_MAX_IN_FLIGHT.',
    ({ traffic }) => traffic.maxInFlight,
  ),
  gauge(
    'signing_queued_requests',
    'Requests that wait for their turn. Above 0 for minutes, more is asked for than this replica does, or its disk is slow.',
    ({ traffic }) => traffic.queued,
  ),
  gauge(
    'signing_queued_requests_limit',
    'Most single requests that wait: SIGNING_MAX_QUEUE. What comes beyond is refused with OVERLOADED.',
    ({ traffic }) => traffic.maxQueue,
  ),
  gauge(
    'signing_held_body_bytes',
    'Bytes of memory reserved for request bodies, at most 6 MiB.',
    ({ traffic }) => traffic.heldBytes,
  ),
  counter(
    'signing_overload_refusals_total',
    'Requests refused with OVERLOADED. Any rise at ordinary load calls for another replica or a faster disk.',
    ({ traffic }) => traffic.overloaded,
  ),
  counter(
    'signing_rate_limited_requests_total',
    'Requests refused with RATE_LIMITED, on no record: scope caller for those who ask too often, authentication for addresses whose proofs fail too often.',
    ({ traffic }) => [
      { labels: { scope: 'caller' }, value: traffic.limitedCallers },
      { labels: { scope: 'authentication' }, value: traffic.limitedProofs },
    ],
    ['scope'],
  ),
  gauge(
    'signing_rate_limit_points',
    'Signatures that one caller, or one account, may ask for in the window; not there where nothing is limited.',
    ({ traffic }) => budgetsOf(traffic.rateLimits),
    ['scope'],
  ),
  gauge(
    'signing_rate_limit_window_seconds',
    'The window of the limits; not there where nothing is limited.',
    ({ traffic }) => traffic.rateLimits?.windowSeconds ?? null,
  ),
  gauge(
    'signing_rate_limits_current',
    '0 while each replica counts for itself though limits should be shared through Redis: then each allows the whole of them. Not there where nothing is limited.',
    ({ traffic }) => traffic.rateLimits?.isCurrent ?? null,
  ),
  gauge(
    'signing_http_connections',
    'Open connections by listener. The main one takes 8192, the operators one 32.',
    ({ process }) => process.listeners.map(({ listener, open }) => ({ labels: { listener }, value: open })),
    ['listener'],
  ),
  counter(
    'signing_http_connections_dropped_total',
    'Connections closed as they opened, since as many as a listener takes were open. Any rise: callers should keep fewer open.',
    ({ process }) => process.listeners.map(({ listener, dropped }) => ({ labels: { listener }, value: dropped })),
    ['listener'],
  ),
];

function budgetsOf(limits: RateLimitState | null): readonly Sample[] {
  const { perCaller = null, perAccount = null } = limits ?? {};
  return [
    ...(perCaller === null ? [] : [{ labels: { scope: 'caller' }, value: perCaller }]),
    ...(perAccount === null ? [] : [{ labels: { scope: 'account' }, value: perAccount }]),
  ];
}
