import type { CertificateState, TlsFilesState, TlsState } from '../../../../domain/model/service-state.ts';
import type { ReloadedFilesReport } from './reloaded-files.ts';
import type { ServerTls } from './server-tls.ts';

/** What HTTPS is made of, for monitoring. */
export function tlsStateOf({ certificate, clients }: ServerTls): TlsState {
  return {
    certificate: { ...certificateState(certificate.current.certificate), ...filesState(certificate.files) },
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

function certificateState(facts: {
  readonly fingerprint256: string;
  readonly notBefore: string;
  readonly notAfter: string;
}): CertificateState {
  const { fingerprint256: fingerprint, notBefore, notAfter } = facts;
  return { fingerprint, notBefore: Date.parse(notBefore), notAfter: Date.parse(notAfter) };
}

function filesState({ loadedAt, lastReload }: ReloadedFilesReport): TlsFilesState {
  return {
    loadedAt: Date.parse(loadedAt),
    hasLastReloadSucceeded: lastReload === null ? null : lastReload.outcome === 'success',
  };
}
