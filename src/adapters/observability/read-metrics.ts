import type {
  AccountUsageEntry,
  AccountUsageList,
  CertificateState,
  RateLimitState,
} from '../../domain/model/service-state.ts';
import { counter, gauge, inSeconds, type ReadMetric, type Sample } from './metric-definition.ts';

const DAY_SECONDS = 24 * 60 * 60;

const SERVICE_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_build_info',
    'Always 1. Version of the service and of Node. Replicas should show the same, except during an upgrade.',
    ({ process }) => [{ labels: { version: process.version, node: process.nodeVersion }, value: 1 }],
    ['version', 'node'],
  ),
  gauge(
    'signing_healthy',
    '1 while the service can sign: audit records can be written and accounts exist. The status response has the same value.',
    ({ core }) => core.isHealthy,
  ),
  gauge(
    'signing_ready',
    '1 while the service should receive requests, as reported by /readyz. 0 for longer than a restart is an outage of this replica.',
    ({ core }) => core.isReady,
  ),
  gauge(
    'signing_ready_check',
    '1 while this check of /readyz passes. A check at 0 is the reason why the service is not ready.',
    ({ core }) => Object.entries(core.readiness).map(([check, ok]) => ({ labels: { check }, value: Number(ok) })),
    ['check'],
  ),
];

const TRAFFIC_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_in_flight_signatures',
    'Signatures and verifications in progress. Near the limit, requests wait.',
    ({ traffic }) => traffic.inFlight,
  ),
  gauge(
    'signing_in_flight_signatures_limit',
    'Limit of signatures and verifications in progress: SIGNING_MAX_IN_FLIGHT.',
    ({ traffic }) => traffic.maxInFlight,
  ),
  gauge(
    'signing_queued_requests',
    'Queued requests. A value above 0 for minutes means that the load exceeds the capacity of this replica or that its disk is slow.',
    ({ traffic }) => traffic.queued,
  ),
  gauge(
    'signing_queued_requests_limit',
    'Limit of queued single requests: SIGNING_MAX_QUEUE. Requests beyond it are rejected with OVERLOADED.',
    ({ traffic }) => traffic.maxQueue,
  ),
  gauge(
    'signing_held_body_bytes',
    'Bytes of memory reserved for request bodies, at most 6 MiB.',
    ({ traffic }) => traffic.heldBytes,
  ),
  counter(
    'signing_overload_refusals_total',
    'Requests rejected with OVERLOADED. An increase under normal load calls for another replica or a faster disk.',
    ({ traffic }) => traffic.overloaded,
  ),
  counter(
    'signing_rate_limited_requests_total',
    'Requests rejected with RATE_LIMITED, by scope. They are not audited. Scope caller: too many requests of a caller; authentication: too many failed authentications from an address.',
    ({ traffic }) => [
      { labels: { scope: 'caller' }, value: traffic.limitedCallers },
      { labels: { scope: 'authentication' }, value: traffic.limitedAuthentications },
    ],
    ['scope'],
  ),
  gauge(
    'signing_rate_limit_points',
    'Limit of signatures per window, for each caller or each account; absent without a limit.',
    ({ traffic }) => listBudgets(traffic.rateLimits),
    ['scope'],
  ),
  gauge(
    'signing_rate_limit_window_seconds',
    'Window of the rate limits; absent without a limit.',
    ({ traffic }) => traffic.rateLimits?.windowSeconds ?? null,
  ),
  gauge(
    'signing_rate_limits_current',
    '0 while rate limits cannot be shared through Redis: each replica then allows the full limit. Absent without a limit.',
    ({ traffic }) => traffic.rateLimits?.isCurrent ?? null,
  ),
  gauge(
    'signing_http_connections',
    'Open connections by listener. Limit: 8192 for main, 32 for admin.',
    ({ process }) => process.listeners.map(({ listener, open }) => ({ labels: { listener }, value: open })),
    ['listener'],
  ),
  counter(
    'signing_http_connections_dropped_total',
    'Connections closed immediately because the listener was at its limit. If it increases, callers should keep fewer connections open.',
    ({ process }) => process.listeners.map(({ listener, dropped }) => ({ labels: { listener }, value: dropped })),
    ['listener'],
  ),
];

/** The audit record, and counters derived from it. */
const AUDIT_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_audit_available',
    '1 while audit records can be written; at 0, nothing is signed.',
    ({ core }) => core.audit.isAvailable,
  ),
  gauge(
    'signing_audit_head_sequence',
    'Number of the last durable audit record. A decrease means that records are missing or that a new chain began.',
    ({ core }) => core.audit.head.seq,
  ),
  gauge(
    'signing_audit_head_info',
    'Always 1, with the hash of the last durable audit record. A stored hash shows later whether records up to it were changed.',
    ({ core }) => (core.audit.head.hash === null ? [] : [{ labels: { hash: core.audit.head.hash }, value: 1 }]),
    ['hash'],
  ),
  gauge(
    'signing_audit_queued_records',
    'Audit records that are not durable yet, including those being written.',
    ({ core }) => core.audit.queued,
  ),
  gauge(
    'signing_audit_disk_free_bytes',
    'Free bytes on the disk of the audit file. A record usually takes less than 1 KiB. When the disk is full, nothing is signed.',
    ({ process }) => process.auditFreeBytes,
  ),
  counter(
    'signing_unrecorded_attempts_total',
    'Attempts whose audit record was not durable in time. No signature was released, and the record may be missing.',
    ({ core }) => core.unrecorded,
  ),
  counter(
    'signing_recorded_signatures_total',
    'Audited signatures, including those of earlier processes. With shared counters, every replica shows the sum over all replicas: aggregate with max, not sum.',
    ({ core }) => core.recorded.totalSigns,
  ),
  counter(
    'signing_recorded_errors_total',
    'Audited attempts to sign that ended without a signature. With shared counters, aggregate with max, not sum.',
    ({ core }) => core.recorded.errorCount,
  ),
  gauge(
    'signing_usage_shared',
    '1 if the counters of audited signatures and errors cover all replicas.',
    ({ core }) => core.usage.mode === 'shared',
  ),
  gauge(
    'signing_usage_current',
    '0 while counters shared through Redis are outdated. Signing does not wait for them.',
    ({ core }) => core.usage.mode === 'alone' || core.usage.state === 'current',
  ),
  gauge(
    'signing_usage_replicas',
    'Replicas covered by the counters of audited signatures and errors, including this one.',
    ({ core }) => (core.usage.mode === 'alone' ? 1 : core.usage.replicas),
  ),
];

const CONFIGURATION_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_config_generation',
    'Number of configurations activated since the process started. It increases with each successful reload.',
    ({ core }) => core.configuration.generation,
  ),
  gauge(
    'signing_config_info',
    'Always 1, with the digest of the active configuration. Replicas should show the same within a minute of a change.',
    ({ core: { configuration } }) =>
      configuration.digest === null ? [] : [{ labels: { digest: configuration.digest }, value: 1 }],
    ['digest'],
  ),
  gauge('signing_config_loaded_timestamp_seconds', 'Unix time when the active configuration was read.', ({ core }) =>
    inSeconds(core.configuration.loadedAt),
  ),
  gauge(
    'signing_config_last_reload_success',
    '0 if the latest reload of the configuration failed. The previous one stays active; the log and the status show the issues.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : configuration.lastReload.outcome === 'success',
  ),
  gauge(
    'signing_config_last_reload_timestamp_seconds',
    'Unix time when the latest reload began; time() minus this is its age.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : inSeconds(Date.parse(configuration.lastReload.at)),
  ),
  counter(
    'signing_config_reloads_total',
    'Reloads of the configuration by outcome, including the start.',
    ({ core: { configuration } }) => [
      { labels: { outcome: 'success' }, value: configuration.reloads.succeeded },
      { labels: { outcome: 'failed' }, value: configuration.reloads.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_config_watched',
    '1 if the configuration is reloaded when its files change: SIGNING_WATCH.',
    ({ core }) => core.configuration.isWatched,
  ),
  gauge(
    'signing_accounts',
    'Accounts by platform and status. An unexpected fall indicates an incomplete configuration.',
    ({ core }) =>
      core.configuration.accounts.map(({ platformId, status, count }) => ({
        labels: { platform: platformId, status },
        value: count,
      })),
    ['platform', 'status'],
  ),
  gauge(
    'signing_permission_entries',
    'Permission entries; absent without a permissions list, in which case every caller may perform every operation.',
    ({ core }) => core.configuration.permissionEntries,
  ),
];

const KEY_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_memory_locked',
    '1 while all memory for secrets is locked; at 0, keys can be written to swap until the process ends.',
    ({ process }) => process.isMemoryLocked,
  ),
  gauge(
    'signing_vault_generation',
    'Generation of the key-encryption key in memory. It increases every SIGNING_KEY_REFRESH_SECONDS.',
    ({ core }) => core.keys?.generation ?? null,
  ),
  gauge(
    'signing_vault_keys',
    'Keys in memory: one per account; during a reload, those of both configurations.',
    ({ core }) => core.keys?.keys ?? null,
  ),
  counter(
    'signing_key_refreshes_total',
    'Re-encryptions of all keys in memory, by outcome. After a failure, the keys remain usable.',
    ({ process: { refreshes } }) => [
      { labels: { outcome: 'success' }, value: refreshes.succeeded },
      { labels: { outcome: 'failed' }, value: refreshes.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_key_last_refresh_timestamp_seconds',
    'Unix time of the last re-encryption of the keys in memory; absent before the first.',
    ({ process }) => inSeconds(process.refreshes.lastAt),
  ),
];

/** Certificates and tokens that expire. No values without HTTPS or authentication. */
const CALLER_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_tls_certificate_not_after_timestamp_seconds',
    'Unix time when the HTTPS certificate expires. Renew it before warnings begin.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate?.notAfter),
  ),
  gauge(
    'signing_tls_certificate_not_before_timestamp_seconds',
    'Unix time when the HTTPS certificate becomes valid.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate?.notBefore),
  ),
  gauge(
    'signing_tls_certificate_info',
    'Always 1, with the SHA-256 fingerprint of the HTTPS certificate: replicas behind one name should show the same after a renewal.',
    ({ traffic: { tls } }) =>
      tls?.certificate ? [{ labels: { fingerprint: tls.certificate.fingerprint }, value: 1 }] : [],
    ['fingerprint'],
  ),
  gauge(
    'signing_tls_certificate_loaded_timestamp_seconds',
    'Unix time when the active HTTPS certificate was read.',
    ({ traffic: { tls } }) => inSeconds(tls?.certificate?.loadedAt),
  ),
  gauge(
    'signing_tls_last_reload_success',
    '0 if the latest reload of the HTTPS certificate or of the client certificate authorities failed. The previous files stay active. Absent before the first reload.',
    ({ traffic: { tls } }) => [
      ...toReloadSamples('certificate', tls?.certificate?.hasLastReloadSucceeded),
      ...toReloadSamples('clients', tls?.clients?.hasLastReloadSucceeded),
    ],
    ['files'],
  ),
  gauge(
    'signing_tls_client_ca_not_after_timestamp_seconds',
    'Unix time when a client certificate authority (CA) expires; its clients are then rejected.',
    ({ traffic: { tls } }) => (tls?.clients?.authorities ?? []).map(toExpirySample),
    ['fingerprint'],
  ),
  gauge(
    'signing_tls_client_certificates_listed',
    'Number of client certificates accepted by fingerprint (SIGNING_TLS_CLIENT_FINGERPRINTS_FILE).',
    ({ traffic: { tls } }) => tls?.clients?.listed ?? null,
  ),
  gauge(
    'signing_auth_required',
    '1 if callers must authenticate with access tokens, 0 if that is optional.',
    ({ process: { authentication } }) => authentication?.isRequired ?? null,
  ),
  gauge(
    'signing_auth_token_not_after_timestamp_seconds',
    'Unix time when the access token of the service expires; clients then reject its responses.',
    ({ process: { authentication } }) => inSeconds(authentication?.tokenExpiresAt),
  ),
  gauge(
    'signing_auth_authorities',
    'Number of trusted access token authorities.',
    ({ process: { authentication } }) => authentication?.authorities ?? null,
  ),
  gauge(
    'signing_auth_replays_known',
    '0 while replays cannot be detected (Redis unavailable or found empty, a recent first start or crash without Redis, or memory for nonces full): authenticated requests are rejected.',
    ({ process: { authentication } }) => authentication?.canDetectReplays ?? null,
  ),
  gauge(
    'signing_expiry_warning_seconds',
    'Time before the expiry of the HTTPS certificate or access token at which warnings begin (SIGNING_EXPIRY_WARNING_DAYS), for the alert rules.',
    ({ process }) => process.expiryWarningDays * DAY_SECONDS,
  ),
  gauge(
    'signing_audit_checkpoint_failures',
    'Failed attempts to save a checkpoint in its second place since the last success, by setting. Above 0, a cut of the last audit records may not show.',
    ({ process }) =>
      process.checkpointCopies.map(({ setting, failures }) => ({ labels: { setting }, value: failures })),
    ['setting'],
  ),
];

/** Accounts per slice. */
const SLICE = 100;

/**
 * Usage by account, two series each, only with SIGNING_METRICS_ACCOUNTS=true. Written in slices:
 * there may be 100,000.
 */
export const ACCOUNT_METRICS: readonly ReadMetric[] = [
  counter(
    'signing_account_signatures_total',
    'Audited signatures per account; only with SIGNING_METRICS_ACCOUNTS=true. With shared counters, every replica shows the same sums.',
    ({ core }) => toSamples(core.accounts, ({ totalSigns }) => totalSigns),
    ['platform', 'account'],
  ),
  counter(
    'signing_account_errors_total',
    'Attempts per account that ended without a signature; only with SIGNING_METRICS_ACCOUNTS=true. With shared counters, every replica shows the same sums.',
    ({ core }) => toSamples(core.accounts, ({ errorCount }) => errorCount),
    ['platform', 'account'],
  ),
];

/** Metrics read at scrape time, by section of docs/operators/metrics.md. */
export const READ_METRICS: { readonly [title: string]: readonly ReadMetric[] } = {
  Service: SERVICE_METRICS,
  Traffic: TRAFFIC_METRICS,
  'Audit log': AUDIT_METRICS,
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
