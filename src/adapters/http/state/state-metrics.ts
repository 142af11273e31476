import type { MetricDefinition, ReadMetric, Sample } from '../../../ports/metrics.ts';
import type { ServiceState } from './read-state.ts';

/** A metric read from the state: no value, true for 1, a number, or one for each label. */
type StateMetric = MetricDefinition & {
  readonly type: ReadMetric['type'];
  readonly read: (state: ServiceState) => Reading;
};
type Reading = number | boolean | null | undefined | Iterable<Sample>;

type DefineMetric = (name: string, help: string, read: StateMetric['read'], labels?: readonly string[]) => StateMetric;

/** A metric that can go up and down. */
const gauge: DefineMetric = (name, help, read, labels = []) => ({ name, type: 'gauge', help, labels, read });

/** A metric that only increases. */
const counter: DefineMetric = (...definition) => ({ ...gauge(...definition), type: 'counter' });

/** Metrics read at scrape time, by section of docs/operators/metrics.md. */
export const STATE_METRICS: { readonly [title: string]: readonly StateMetric[] } = {
  Service: [
    gauge(
      'signing_build_info',
      'Always 1. Version of the service and of Node. Replicas should show the same, except during an upgrade.',
      ({ status }) => [{ labels: { version: status.instance.version, node: process.version }, value: 1 }],
      ['version', 'node'],
    ),
    gauge(
      'signing_healthy',
      '1 while the service can sign: audit records can be written and accounts exist. The status response has the same value.',
      ({ status }) => status.status === 'healthy',
    ),
    gauge(
      'signing_ready',
      '1 while the service should receive requests, as reported by /readyz. 0 for longer than a restart is an outage of this replica.',
      ({ ready }) => ready,
    ),
    gauge(
      'signing_ready_check',
      '1 while this check of /readyz passes. A check at 0 is the reason why the service is not ready.',
      ({ checks }) => Object.entries(checks).map(([check, { ok }]) => ({ labels: { check }, value: Number(ok) })),
      ['check'],
    ),
  ],
  Traffic: [
    gauge(
      'signing_in_flight_signatures',
      'Signatures and verifications in progress. Near the limit, requests wait.',
      ({ status }) => status.load.inFlight,
    ),
    gauge(
      'signing_in_flight_signatures_limit',
      'Limit of signatures and verifications in progress: SIGNING_MAX_IN_FLIGHT.',
      ({ maxInFlight }) => maxInFlight,
    ),
    gauge(
      'signing_queued_requests',
      'Queued requests. A value above 0 for minutes means that the load exceeds the capacity of this replica or that its disk is slow.',
      ({ status }) => status.load.queued,
    ),
    gauge(
      'signing_queued_requests_limit',
      'Limit of queued single requests: SIGNING_MAX_QUEUE. Requests beyond it are rejected with OVERLOADED.',
      ({ maxQueue }) => maxQueue,
    ),
    gauge(
      'signing_held_body_bytes',
      'Bytes of memory reserved for request bodies, at most 6 MiB.',
      ({ status }) => status.load.heldBytes,
    ),
    counter(
      'signing_overload_refusals_total',
      'Requests rejected with OVERLOADED. An increase under normal load calls for another replica or a faster disk.',
      ({ status }) => status.load.refused,
    ),
    counter(
      'signing_rate_limited_requests_total',
      'Requests rejected with RATE_LIMITED, by scope. They are not audited. Scope caller: too many requests of a caller; authentication: too many failed authentications from an address.',
      ({ gate: { limited } }) => by('scope', { caller: limited.callers, authentication: limited.authentications }),
      ['scope'],
    ),
    gauge(
      'signing_rate_limit_points',
      'Limit of signatures per window, for each caller or each account; absent without a limit.',
      ({ status: { rateLimits } }) => by('scope', { caller: rateLimits?.perCaller, account: rateLimits?.perAccount }),
      ['scope'],
    ),
    gauge(
      'signing_rate_limit_window_seconds',
      'Window of the rate limits; absent without a limit.',
      ({ status }) => status.rateLimits?.windowSeconds,
    ),
    gauge(
      'signing_rate_limits_current',
      '0 while rate limits cannot be shared through Redis: each replica then allows the full limit. Absent without a limit.',
      ({ status: { rateLimits } }) => rateLimits && rateLimits.state === 'current',
    ),
    gauge(
      'signing_http_connections',
      'Open connections by listener. Limit: 8192 for main, 32 for admin.',
      ({ connections }) => connections.map(({ listener, open }) => ({ labels: { listener }, value: open })),
      ['listener'],
    ),
    counter(
      'signing_http_connections_dropped_total',
      'Connections closed immediately because the listener was at its limit. If it increases, callers should keep fewer connections open.',
      ({ connections }) => connections.map(({ listener, dropped }) => ({ labels: { listener }, value: dropped })),
      ['listener'],
    ),
  ],
  /** The audit record, and counters derived from it. */
  'Audit log': [
    gauge(
      'signing_audit_available',
      '1 while audit records can be written; at 0, nothing is signed.',
      ({ status }) => status.audit.available,
    ),
    gauge(
      'signing_audit_head_sequence',
      'Number of the last durable audit record. A decrease means that records are missing or that a new chain began.',
      ({ status }) => status.audit.head.seq,
    ),
    gauge(
      'signing_audit_head_info',
      'Always 1, with the hash of the last durable audit record. A stored hash shows later whether records up to it were changed.',
      ({ status }) => info('hash', status.audit.head.hash),
      ['hash'],
    ),
    gauge(
      'signing_audit_queued_records',
      'Audit records that are not durable yet, including those being written.',
      ({ sink }) => sink.queued,
    ),
    gauge(
      'signing_audit_disk_free_bytes',
      'Free bytes on the disk of the audit file. A record usually takes less than 1 KiB. When the disk is full, nothing is signed.',
      ({ status }) => status.audit.disk.freeBytes,
    ),
    counter(
      'signing_unrecorded_attempts_total',
      'Attempts whose audit record was not durable in time. No signature was released, and the record may be missing.',
      ({ performance }) => performance.unrecorded,
    ),
    counter(
      'signing_recorded_signatures_total',
      'Audited signatures of this replica, including those of earlier processes.',
      ({ usage }) => usage.totals().totalSigns,
    ),
    counter(
      'signing_recorded_errors_total',
      'Audited attempts of this replica to sign that ended without a signature.',
      ({ usage }) => usage.totals().errorCount,
    ),
    gauge(
      'signing_usage_shared',
      '1 if replicas share their usage counters through Redis. Status and accounts show sums, metrics those of each replica.',
      ({ status }) => status.usage.shared,
    ),
    gauge(
      'signing_usage_current',
      '0 while usage counters cannot be shared through Redis. Signing does not wait for them.',
      ({ status }) => status.usage.state === 'current',
    ),
    gauge(
      'signing_usage_replicas',
      'Replicas that share their usage counters, including this one.',
      ({ status }) => status.usage.replicas,
    ),
  ],
  Configuration: [
    gauge(
      'signing_config_generation',
      'Number of configurations activated since the process started. It increases with each successful reload.',
      ({ registry }) => registry.generation,
    ),
    gauge(
      'signing_config_info',
      'Always 1, with the digest of the active configuration. Replicas should show the same within a minute of a change.',
      ({ registry }) => info('digest', registry.current.origin.digest),
      ['digest'],
    ),
    gauge(
      'signing_config_loaded_timestamp_seconds',
      'Unix time when the active configuration was read.',
      ({ status }) => inSeconds(status.config.lastLoaded),
    ),
    gauge(
      'signing_config_last_reload_success',
      '0 if the latest reload of the configuration failed. The previous one stays active; the log and the status show the issues.',
      ({ status }) => hasSucceeded(status.config.lastReload),
    ),
    gauge(
      'signing_config_last_reload_timestamp_seconds',
      'Unix time when the latest reload began; time() minus this is its age.',
      ({ status }) => inSeconds(status.config.lastReload?.at),
    ),
    counter(
      'signing_config_reloads_total',
      'Reloads of the configuration by outcome, including the start.',
      ({ status: { config } }) => by('outcome', { success: config.reloads.succeeded, failed: config.reloads.failed }),
      ['outcome'],
    ),
    gauge(
      'signing_config_watched',
      '1 if the configuration is reloaded when its files change: SIGNING_WATCH.',
      ({ status }) => status.config.isWatching,
    ),
    gauge(
      'signing_accounts',
      'Accounts by platform and status. An unexpected fall indicates an incomplete configuration.',
      ({ registry: { current } }) =>
        current.platformIds.flatMap((platform) =>
          Object.entries(current.countByStatus(platform)).map(([status, value]) => ({
            labels: { platform, status },
            value,
          })),
        ),
      ['platform', 'status'],
    ),
    gauge(
      'signing_permission_entries',
      'Permission entries; absent without a permissions list, in which case every caller may perform every operation.',
      ({ registry }) => registry.current.permissions.entryCount,
    ),
  ],
  Keys: [
    gauge(
      'signing_memory_locked',
      '1 while all memory for secrets is locked; at 0, keys can be written to swap until the process ends.',
      ({ isMemoryLocked }) => isMemoryLocked(),
    ),
    gauge(
      'signing_vault_generation',
      'Generation of the key-encryption key in memory. It increases every SIGNING_KEY_REFRESH_SECONDS.',
      ({ keyStore }) => keyStore.protection?.generation,
    ),
    gauge(
      'signing_vault_keys',
      'Keys in memory: one per account; during a reload, those of both configurations.',
      ({ keyStore }) => keyStore.protection?.keys,
    ),
    counter(
      'signing_key_refreshes_total',
      'Re-encryptions of all keys in memory, by outcome. After a failure, the keys remain usable.',
      ({ refreshes: { state } }) => by('outcome', { success: state.succeeded, failed: state.failed }),
      ['outcome'],
    ),
    gauge(
      'signing_key_last_refresh_timestamp_seconds',
      'Unix time of the last re-encryption of the keys in memory; absent before the first.',
      ({ refreshes }) => inSeconds(refreshes.state.lastAt),
    ),
  ],
  /** Certificates and tokens that expire. No values without HTTPS or authentication. */
  'Certificates and tokens': [
    gauge(
      'signing_tls_certificate_not_after_timestamp_seconds',
      'Unix time when the HTTPS certificate expires. Renew it before warnings begin.',
      ({ status: { tls } }) => inSeconds(tls?.certificate.notAfter),
    ),
    gauge(
      'signing_tls_certificate_not_before_timestamp_seconds',
      'Unix time when the HTTPS certificate becomes valid.',
      ({ status: { tls } }) => inSeconds(tls?.certificate.notBefore),
    ),
    gauge(
      'signing_tls_certificate_info',
      'Always 1, with the SHA-256 fingerprint of the HTTPS certificate: replicas behind one name should show the same after a renewal.',
      ({ status: { tls } }) => info('fingerprint', tls?.certificate.fingerprint256),
      ['fingerprint'],
    ),
    gauge(
      'signing_tls_certificate_loaded_timestamp_seconds',
      'Unix time when the active HTTPS certificate was read.',
      ({ status: { tls } }) => inSeconds(tls?.loadedAt),
    ),
    gauge(
      'signing_tls_last_reload_success',
      '0 if the latest reload of the HTTPS certificate or of the client certificate authorities failed. The previous files stay active. Absent before the first reload.',
      ({ status: { tls, ...status } }) =>
        by('files', {
          certificate: hasSucceeded(tls?.lastReload),
          clients: hasSucceeded((tls?.clientCertificates ?? status.forwardedCertificates)?.lastReload),
        }),
      ['files'],
    ),
    gauge(
      'signing_tls_client_ca_not_after_timestamp_seconds',
      'Unix time when a client certificate authority (CA) expires; its clients are then rejected.',
      ({ tls, forwarded }) =>
        ((tls?.clients ?? forwarded?.trust)?.current.authorities ?? []).map(({ fingerprint256, validTo }) => ({
          labels: { fingerprint: fingerprint256 },
          value: Date.parse(validTo) / 1000,
        })),
      ['fingerprint'],
    ),
    gauge(
      'signing_tls_client_certificates_listed',
      'Number of client certificates accepted by fingerprint (SIGNING_TLS_CLIENT_FINGERPRINTS_FILE).',
      ({ status: { tls, forwardedCertificates } }) => (tls?.clientCertificates ?? forwardedCertificates)?.fingerprints,
    ),
    gauge(
      'signing_auth_required',
      '1 if callers must authenticate with access tokens, 0 if that is optional.',
      ({ status: { authentication } }) => authentication && authentication.mode === 'required',
    ),
    gauge(
      'signing_auth_token_not_after_timestamp_seconds',
      'Unix time when the access token of the service expires; clients then reject its responses.',
      ({ status: { authentication } }) => inSeconds(authentication?.expirationTime),
    ),
    gauge(
      'signing_auth_authorities',
      'Number of trusted access token authorities.',
      ({ status: { authentication } }) => authentication?.authorities,
    ),
    gauge(
      'signing_auth_replays_known',
      '0 while replays cannot be detected (Redis unavailable, found empty or failed over, a recent first start or crash without Redis, or memory for nonces full): authenticated requests are rejected.',
      ({ canDetectReplays }) => canDetectReplays,
    ),
    gauge(
      'signing_expiry_warning_seconds',
      'Time before the expiry of the HTTPS certificate or access token at which warnings begin (SIGNING_EXPIRY_WARNING_DAYS), for the alert rules.',
      ({ expiryWarningDays }) => expiryWarningDays * 86_400,
    ),
    gauge(
      'signing_audit_checkpoint_failures',
      'Failed attempts to save a checkpoint in its second place since the last success, by setting. Above 0, a cut of the last audit records may not show.',
      ({ status: { audit } }) =>
        audit.checkpointCopies.map(({ setting, failures }) => ({ labels: { setting }, value: failures })),
      ['setting'],
    ),
  ],
  /**
   * Usage by account, two series each, only with SIGNING_METRICS_ACCOUNTS=true. Written in slices:
   * there may be 100,000.
   */
  Accounts: [
    counter(
      'signing_account_signatures_total',
      'Audited signatures of this replica per account; only with SIGNING_METRICS_ACCOUNTS=true.',
      (state) => byAccount(state, 'totalSigns'),
      ['platform', 'account'],
    ),
    counter(
      'signing_account_errors_total',
      'Attempts of this replica per account that ended without a signature; only with SIGNING_METRICS_ACCOUNTS=true.',
      (state) => byAccount(state, 'errorCount'),
      ['platform', 'account'],
    ),
  ].map((metric) => ({ ...metric, isLarge: true })),
};

/** All metrics of a state. Those of accounts are lazy and written in slices. */
export function readMetrics(state: ServiceState): readonly ReadMetric[] {
  return Object.values(STATE_METRICS)
    .flat()
    .map(({ read, ...definition }) => ({ ...definition, samples: toSamples(read(state)) }));
}

function toSamples(reading: Reading): Iterable<Sample> {
  if (reading === null || reading === undefined) return [];
  return typeof reading === 'object' ? reading : [{ labels: {}, value: Number(reading) }];
}

/** A sample for each value of a label; none for null. */
function by(
  label: string,
  values: { readonly [value: string]: number | boolean | null | undefined },
): readonly Sample[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ labels: { [label]: name }, value: Number(value) }],
  );
}

/** The value 1 with a text as its label; none for null. */
function info(label: string, text: string | null | undefined): readonly Sample[] {
  return text ? [{ labels: { [label]: text }, value: 1 }] : [];
}

/** Unix time in seconds, of milliseconds or ISO 8601; null for none. */
function inSeconds(time: number | string | null | undefined): number | null {
  return time === null || time === undefined ? null : new Date(time).getTime() / 1000;
}

/** Of a reload; null before the first. */
function hasSucceeded(reload: { readonly outcome: string } | null | undefined): boolean | null {
  return reload ? reload.outcome === 'success' : null;
}

/** Lazy: there may be 100,000. */
function* byAccount({ namedAccounts, usage }: ServiceState, count: 'totalSigns' | 'errorCount'): Generator<Sample> {
  for (const { platformId, accountId } of namedAccounts) {
    const labels = { platform: platformId, account: accountId };
    yield { labels, value: usage.usage(platformId, accountId)[count] };
  }
}
