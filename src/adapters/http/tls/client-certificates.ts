import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { memoizeRecent } from '../../../domain/model/memoize.ts';
import { identifyCaller } from '../call-context.ts';
import type { NetworkList } from '../callers/network-list.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import { refuseRequest } from '../refusals.ts';
import type { ForwardedCertificatesReport } from '../schemas/status-responses.ts';
import { type ClientIdentity, identifyHolder, untrusted } from './client-identity.ts';
import type { ClientTrust } from './client-trust.ts';
import { type CertificateHeader, getForwardedText, readForwardedCertificate } from './forwarded-certificate.ts';

/**
 * Client certificates that trusted proxies forward in a header (RFC 9440). The proxy has verified
 * that the client has the key, and what {@link ClientTrust.verify} leaves to its handshake. The
 * rest is verified here for each request, by the same rules as for direct connections.
 */
export class ForwardedClients {
  readonly header: CertificateHeader;
  readonly trust: ClientTrust;
  readonly #proxies: NetworkList;
  /** Parsing takes longer than a signature. */
  readonly #read = memoizeRecent((text: string) => readForwardedCertificate(this.header, text) ?? 'malformed');

  /**
   * @param proxies only these addresses may forward certificates
   * @param trust the authorities and fingerprints that direct connections are checked by, too
   */
  constructor(header: CertificateHeader, proxies: NetworkList, trust: ClientTrust) {
    this.header = header;
    this.trust = trust;
    this.#proxies = proxies;
  }

  /**
   * The caller of a trusted proxy's request; null for other connections, whose header is ignored.
   * Over HTTPS the proxy needs a valid client certificate as well, whose name is not used.
   */
  identify({ socket, headers }: IncomingMessage): ClientIdentity | null {
    if (socket.remoteAddress === undefined || !this.#proxies.includes(socket.remoteAddress)) return null;
    if (socket instanceof TLSSocket) {
      const proxy = this.trust.identify(socket);
      if ('error' in proxy) return { error: 'PROXY_CERTIFICATE_REFUSED', problem: proxy.problem ?? proxy.error };
    }
    const text = getForwardedText(headers, this.header);
    if (text === null) return { error: 'FORWARDED_CERTIFICATE_MISSING' };
    const certificate = this.#read(text);
    if (certificate === 'malformed') return { error: 'FORWARDED_CERTIFICATE_MALFORMED' };
    const problem = this.trust.verify(certificate);
    return problem === null ? identifyHolder(certificate, this.trust.current) : untrusted(problem);
  }

  /** For status. */
  report(): ForwardedCertificatesReport {
    return { header: this.header, ...this.trust.report() };
  }
}

/**
 * Identifies callers by their client certificates.
 * @param forwarded certificates from trusted proxies; null: those of connections only
 */
export function clientCertificateCheck(clients: ClientTrust, forwarded: ForwardedClients | null): RequestCheck {
  return (request, response) => {
    const ofProxy = forwarded?.identify(request) ?? null;
    const identity = ofProxy ?? clients.identify(request.socket);
    if ('principal' in identity) {
      identifyCaller(response, identity.principal);
      return null;
    }
    const { error, problem } = identity;
    // Another certificate needs a new handshake; a proxy's connection serves other callers too.
    if (ofProxy === null || error === 'PROXY_CERTIFICATE_REFUSED') response.setHeader('Connection', 'close');
    return refuseRequest('ClientCertificateNotTaken', { reason: error, ...(problem === undefined ? {} : { problem }) });
  };
}
