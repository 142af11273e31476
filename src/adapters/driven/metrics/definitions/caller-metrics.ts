import type { CertificateState } from '../../../../domain/model/service-state.ts';
import { gauge, inSeconds, type ReadMetric, type Sample } from '../metric-definition.ts';

/** What callers believe the service by, and are known by: certificates and tokens that end. Nothing of it is there where it is not on. */
export const CALLER_METRICS: readonly ReadMetric[] = [
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
      ...reload('certificate', tls?.certificate.hasLastReloadSucceeded),
      ...reload('clients', tls?.clients?.hasLastReloadSucceeded),
    ],
    ['files'],
  ),
  gauge(
    'signing_tls_client_ca_not_after_timestamp_seconds',
    'When an authority of client certificates expires, Unix time: from then on its clients are refused.',
    ({ traffic: { tls } }) => (tls?.clients?.authorities ?? []).map(endOf),
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
    ({ process: { authentication } }) => authentication?.canTellReplays ?? null,
  ),
];

function reload(files: string, hasSucceeded: boolean | null | undefined): readonly Sample[] {
  return hasSucceeded === null || hasSucceeded === undefined
    ? []
    : [{ labels: { files }, value: Number(hasSucceeded) }];
}

function endOf({ fingerprint, notAfter }: CertificateState): Sample {
  return { labels: { fingerprint }, value: notAfter / 1000 };
}
