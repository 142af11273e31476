import type { TlsReport } from '../schemas/answers/tls-report.ts';
import type { ClientTrust } from './client-trust.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/** What HTTPS is made of. */
export interface ServerTls {
  readonly certificate: TlsCertificate;
  /** Which client certificates are taken; null: none is asked for. */
  readonly clients: ClientTrust | null;
}

/** What status shows of HTTPS. */
export function tlsReport({ certificate, clients }: ServerTls): TlsReport {
  return { ...certificate.report(), clientCertificates: clients?.report() ?? null };
}
