import { identifyCaller } from '../call-context.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import { refuseRequest } from '../refusals.ts';
import type { ClientTrust } from '../tls/client-trust.ts';
import type { ForwardedClients } from '../tls/forwarded-clients.ts';

/**
 * Identifies callers by their client certificates.
 * @param forwarded certificates from trusted proxies; null: those of connections only
 */
export function clientCertificateCheck(clients: ClientTrust, forwarded: ForwardedClients | null): RequestCheck {
  return (request, response) => {
    const { socket } = request;
    const isForwarded = forwarded?.isProxy(socket) === true;
    const identity = isForwarded ? forwarded.identify(request) : clients.identify(socket);
    if ('principal' in identity) {
      identifyCaller(response, identity.principal);
      return null;
    }
    const { error, problem } = identity;
    // Another certificate needs a new handshake; a proxy's connection serves other callers too.
    if (!isForwarded || error === 'PROXY_CERTIFICATE_REFUSED') response.setHeader('Connection', 'close');
    return refuseRequest('ClientCertificateNotTaken', { reason: error, ...(problem === undefined ? {} : { problem }) });
  };
}
