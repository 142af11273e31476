import type { ReloadReport } from '../../../domain/flow/reloadable.ts';
import type { CertificateState, TlsFilesState, TlsState } from '../../../domain/model/service-state.ts';
import type { TlsReport } from '../schemas/status-responses.ts';
import type { ClientTrust } from './client-trust.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/** The TLS state of the servers. */
export interface ServerTls {
  readonly certificate: TlsCertificate;
  /** Null without client certificates. */
  readonly clients: ClientTrust | null;
}

/** TLS in the status. */
export function tlsReport({ certificate, clients }: ServerTls): TlsReport {
  return { ...certificate.report(), clientCertificates: clients?.report() ?? null };
}

/**
 * TLS for monitoring; null without certificates.
 * @param tls null for HTTP
 * @param clients null without client certificates
 */
export function getTlsState(tls: ServerTls | null, clients: ClientTrust | null): TlsState | null {
  if (tls === null && clients === null) return null;
  return {
    certificate: tls === null ? null : toServerState(tls),
    clients:
      clients === null
        ? null
        : {
            ...filesState(clients.files),
            authorities: clients.authorities.map(({ fingerprint256, validFrom, validTo }) =>
              certificateState({ fingerprint256, notBefore: validFrom, notAfter: validTo }),
            ),
            listed: clients.listed,
          },
  };
}

function toServerState({ certificate }: ServerTls): CertificateState & TlsFilesState {
  return { ...certificateState(certificate.current.certificate), ...filesState(certificate.files) };
}

function certificateState(facts: {
  readonly fingerprint256: string;
  readonly notBefore: string;
  readonly notAfter: string;
}): CertificateState {
  const { fingerprint256: fingerprint, notBefore, notAfter } = facts;
  return { fingerprint, notBefore: Date.parse(notBefore), notAfter: Date.parse(notAfter) };
}

function filesState({ loadedAt, lastReload }: ReloadReport): TlsFilesState {
  return {
    loadedAt: Date.parse(loadedAt),
    hasLastReloadSucceeded: lastReload === null ? null : lastReload.outcome === 'success',
  };
}
