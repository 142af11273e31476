import type {
  AccountUsageEntry,
  AccountUsageList,
  CertificateState,
  RateLimitState,
} from '../../domain/model/service-state.ts';
import { counter, gauge, inSeconds, type ReadMetric, type Sample } from './metric-definition.ts';

const SERVICE_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_build_info',
    'Always 1. Version of the service and of Node: replicas should show the same, but for the time of an upgrade.',
    ({ process }) => [{ labels: { version: process.version, node: process.nodeVersion }, value: 1 }],
    ['version', 'node'],
  ),
  gauge(
    'signing_healthy',
    '1 while it can sign: audit records can be written and there are accounts. As the status says.',
    ({ core }) => core.isHealthy,
  ),
  gauge(
    'signing_ready',
    '1 while the service should be sent requests, as /readyz says. 0 for longer than a restart takes is an outage of this replica.',
    ({ core }) => core.isReady,
  ),
  gauge(
    'signing_ready_check',
    '1 while one of the checks of /readyz holds: which of them is 0 says why the service is not ready.',
    ({ core }) => Object.entries(core.readiness).map(([check, ok]) => ({ labels: { check }, value: Number(ok) })),
    ['check'],
  ),
];

const TRAFFIC_METRICS: readonly ReadMetric[] = [
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
      { labels: { scope: 'authentication' }, value: traffic.limitedAuthentications },
    ],
    ['scope'],
  ),
  gauge(
    'signing_rate_limit_points',
    'Signatures that one caller, or one account, may ask for in the window; not there where nothing is limited.',
    ({ traffic }) => listBudgets(traffic.rateLimits),
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

/** The audit record, and counters derived from it. */
const AUDIT_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_audit_available',
    '1 while audit records can be written. 0: nothing is signed.',
    ({ core }) => core.audit.isAvailable,
  ),
  gauge(
    'signing_audit_head_sequence',
    'Number of the last durable audit record. It never goes down: if it does, records are gone, or a new chain was begun.',
    ({ core }) => core.audit.head.seq,
  ),
  gauge(
    'signing_audit_head_info',
    'Always 1, with the hash of the last durable audit record: who keeps it can tell later whether the record was changed before it.',
    ({ core }) => (core.audit.head.hash === null ? [] : [{ labels: { hash: core.audit.head.hash }, value: 1 }]),
    ['hash'],
  ),
  gauge(
    'signing_audit_queued_records',
    'Audit records that wait to be durable, those that are being written included.',
    ({ core }) => core.audit.queued,
  ),
  gauge(
    'signing_audit_disk_free_bytes',
    'Bytes that may still be written on the disk of the audit file. A record takes less than 1 KiB as a rule; without room nothing is signed.',
    ({ process }) => process.auditFreeBytes,
  ),
  counter(
    'signing_unrecorded_attempts_total',
    'Attempts whose audit record was not durable in time. Nothing was released for them, and they may be missing on the record.',
    ({ core }) => core.unrecorded,
  ),
  counter(
    'signing_recorded_signatures_total',
    'Signatures on record, those of earlier processes included, and where counters are shared those of all replicas: then every replica shows the same sum, so take the highest and add none up.',
    ({ core }) => core.recorded.totalSigns,
  ),
  counter(
    'signing_recorded_errors_total',
    'Attempts to sign on record that ended without a signature. The same goes for its sum.',
    ({ core }) => core.recorded.errorCount,
  ),
  gauge(
    'signing_usage_shared',
    '1 where the recorded counters are those of all replicas.',
    ({ core }) => core.usage.mode === 'shared',
  ),
  gauge(
    'signing_usage_current',
    '0 while counters that should be shared through Redis are behind. Signing does not wait for them.',
    ({ core }) => core.usage.mode === 'alone' || core.usage.state === 'current',
  ),
  gauge('signing_usage_replicas', 'Replicas whose counters are in the recorded ones, this one included.', ({ core }) =>
    core.usage.mode === 'alone' ? 1 : core.usage.replicas,
  ),
];

const CONFIGURATION_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_config_generation',
    'How many configurations came into force since the process started. It rises with each reload that is taken.',
    ({ core }) => core.configuration.generation,
  ),
  gauge(
    'signing_config_info',
    'Always 1, with the digest of the configuration in force: replicas should show the same within a minute of a change.',
    ({ core: { configuration } }) =>
      configuration.digest === null ? [] : [{ labels: { digest: configuration.digest }, value: 1 }],
    ['digest'],
  ),
  gauge('signing_config_loaded_timestamp_seconds', 'When the configuration in force was read, Unix time.', ({ core }) =>
    inSeconds(core.configuration.loadedAt),
  ),
  gauge(
    'signing_config_last_reload_success',
    '0 when the latest reading of the configuration failed: the one before stays in force, and the log and the status say what is wrong.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : configuration.lastReload.outcome === 'success',
  ),
  gauge(
    'signing_config_last_reload_timestamp_seconds',
    'When the latest reading of the configuration began, Unix time: time() minus this is its age.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : inSeconds(Date.parse(configuration.lastReload.at)),
  ),
  counter(
    'signing_config_reloads_total',
    'Readings of the configuration by outcome, that of the start included.',
    ({ core: { configuration } }) => [
      { labels: { outcome: 'success' }, value: configuration.reloads.succeeded },
      { labels: { outcome: 'failed' }, value: configuration.reloads.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_config_watched',
    '1 where the configuration is read anew when its files change: SIGNING_WATCH.',
    ({ core }) => core.configuration.isWatched,
  ),
  gauge(
    'signing_accounts',
    'Accounts by platform and status. A fall that nobody asked for is a configuration that came short.',
    ({ core }) =>
      core.configuration.accounts.map(({ platformId, status, count }) => ({
        labels: { platform: platformId, status },
        value: count,
      })),
    ['platform', 'status'],
  ),
  gauge(
    'signing_permission_entries',
    'Entries of the permissions list; not there where there is no list, and everybody who may call may do everything.',
    ({ core }) => core.configuration.permissionEntries,
  ),
];

const KEY_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_memory_locked',
    '1 while all memory for secrets is locked into RAM. 0: keys can be written to swap, until the process ends.',
    ({ process }) => process.isMemoryLocked,
  ),
  gauge(
    'signing_vault_generation',
    'Generation of the key under which keys lie encrypted in memory. It rises every SIGNING_KEY_REFRESH_SECONDS.',
    ({ core }) => core.keys?.generation ?? null,
  ),
  gauge(
    'signing_vault_keys',
    'Keys that are held in memory: as many as accounts, and during a reload those of both configurations.',
    ({ core }) => core.keys?.keys ?? null,
  ),
  counter(
    'signing_key_refreshes_total',
    'How often all keys in memory were encrypted anew, by outcome. After a failure they stay as they were.',
    ({ process: { refreshes } }) => [
      { labels: { outcome: 'success' }, value: refreshes.succeeded },
      { labels: { outcome: 'failed' }, value: refreshes.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_key_last_refresh_timestamp_seconds',
    'When keys in memory were last encrypted anew, Unix time; not there before the first time.',
    ({ process }) => inSeconds(process.refreshes.lastAt),
  ),
];

/** Certificates and tokens that expire. No values without HTTPS or authentication. */
const CALLER_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_tls_certificate_not_after_timestamp_seconds',
    'When the HTTPS certificate expires, Unix time: minus time() is what is left. Renew it with two weeks to go.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate.notAfter),
  ),
  gauge(
    'signing_tls_certificate_not_before_timestamp_seconds',
    'When the period of the HTTPS certificate begins, Unix time.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate.notBefore),
  ),
  gauge(
    'signing_tls_certificate_info',
    'Always 1, with the SHA-256 fingerprint of the HTTPS certificate: replicas behind one name should show the same after a renewal.',
    ({ traffic: { tls } }) =>
      tls === null ? [] : [{ labels: { fingerprint: tls.certificate.fingerprint }, value: 1 }],
    ['fingerprint'],
  ),
  gauge(
    'signing_tls_certificate_loaded_timestamp_seconds',
    'When the HTTPS certificate in force was read, Unix time.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate.loadedAt),
  ),
  gauge(
    'signing_tls_last_reload_success',
    '0 when the latest reading of a changed HTTPS certificate, or of the authorities of clients, failed: what was in force before stays. Not there before the first.',
    ({ traffic: { tls } }) => [
      ...toReloadSamples('certificate', tls?.certificate.hasLastReloadSucceeded),
      ...toReloadSamples('clients', tls?.clients?.hasLastReloadSucceeded),
    ],
    ['files'],
  ),
  gauge(
    'signing_tls_client_ca_not_after_timestamp_seconds',
    'When an authority of client certificates expires, Unix time: from then on its clients are refused.',
    ({ traffic: { tls } }) => (tls?.clients?.authorities ?? []).map(toExpirySample),
    ['fingerprint'],
  ),
  gauge(
    'signing_tls_client_certificates_listed',
    'Client certificates that are listed one by one (SIGNING_TLS_CLIENT_FINGERPRINTS_FILE).',
    ({ traffic: { tls } }) => tls?.clients?.listed ?? null,
  ),
  gauge(
    'signing_auth_required',
    '1 where callers have to prove who they are with messages of mutual authentication, 0 where they may.',
    ({ process: { authentication } }) => authentication?.isRequired ?? null,
  ),
  gauge(
    'signing_auth_token_not_after_timestamp_seconds',
    'When the access token of the service expires, Unix time: from then on clients refuse its answers.',
    ({ process: { authentication } }) => inSeconds(authentication?.tokenExpiresAt),
  ),
  gauge(
    'signing_auth_authorities',
    'Authorities whose access tokens are believed.',
    ({ process: { authentication } }) => authentication?.authorities ?? null,
  ),
  gauge(
    'signing_auth_replays_known',
    '0 while it can not be told whether a request came before (Redis is away or was found empty, a start without Redis was just now, or memory for nonces is full): requests that prove who makes them are refused.',
    ({ process: { authentication } }) => authentication?.canDetectReplays ?? null,
  ),
];

/** Accounts read at once. */
const SLICE = 100;

/**
 * Usage by account, two series each, only with SIGNING_METRICS_ACCOUNTS=true. Written in slices:
 * there may be 100,000.
 */
export const ACCOUNT_METRICS: readonly ReadMetric[] = [
  counter(
    'signing_account_signatures_total',
    'Signatures on record of each account; only with SIGNING_METRICS_ACCOUNTS=true. Where counters are shared, every replica shows the same sums.',
    ({ core }) => toSamples(core.accounts, ({ totalSigns }) => totalSigns),
    ['platform', 'account'],
  ),
  counter(
    'signing_account_errors_total',
    'Attempts on each account that ended without a signature; only with SIGNING_METRICS_ACCOUNTS=true. Where counters are shared, every replica shows the same sums.',
    ({ core }) => toSamples(core.accounts, ({ errorCount }) => errorCount),
    ['platform', 'account'],
  ),
];

/** Metrics read at scrape time, by section of docs/operators/metrics.md. */
export const READ_METRICS: { readonly [title: string]: readonly ReadMetric[] } = {
  'The service': SERVICE_METRICS,
  Traffic: TRAFFIC_METRICS,
  'The audit record': AUDIT_METRICS,
  Configuration: CONFIGURATION_METRICS,
  Keys: KEY_METRICS,
  'Certificates and tokens': CALLER_METRICS,
  Accounts: ACCOUNT_METRICS,
};

function listBudgets(limits: RateLimitState | null): readonly Sample[] {
  const { perCaller = null, perAccount = null } = limits ?? {};
  return [
    ...(perCaller === null ? [] : [{ labels: { scope: 'caller' }, value: perCaller }]),
    ...(perAccount === null ? [] : [{ labels: { scope: 'account' }, value: perAccount }]),
  ];
}

function toReloadSamples(files: string, hasSucceeded: boolean | null | undefined): readonly Sample[] {
  return hasSucceeded === null || hasSucceeded === undefined
    ? []
    : [{ labels: { files }, value: Number(hasSucceeded) }];
}

function toExpirySample({ fingerprint, notAfter }: CertificateState): Sample {
  return { labels: { fingerprint }, value: notAfter / 1000 };
}

/** Lazy: there may be 100,000. */
function* toSamples(accounts: AccountUsageList | null, pick: (use: AccountUsageEntry) => number): Generator<Sample> {
  if (accounts === null) return;
  for (let at = 0; at < accounts.length; at += SLICE) {
    for (const use of accounts.slice(at, at + SLICE)) {
      yield { labels: { platform: use.platformId, account: use.accountId }, value: pick(use) };
    }
  }
}
