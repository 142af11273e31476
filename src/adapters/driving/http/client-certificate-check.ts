import { identifyCaller } from './call-context.ts';
import type { CallerCheck } from './caller-check.ts';
import { unauthenticated } from './http-refusal.ts';
import type { ClientFault, ClientTrust } from './tls/client-trust.ts';

const MESSAGES: { readonly [fault in ClientFault]: string } = {
  CLIENT_CERTIFICATE_REQUIRED: 'This service asks for a client certificate, and there was none.',
  CLIENT_CERTIFICATE_UNTRUSTED:
    'The client certificate was not issued by an authority of this service, or its period is over.',
  CLIENT_CERTIFICATE_NOT_LISTED: 'The client certificate is not one of those that this service takes.',
  CLIENT_CERTIFICATE_UNNAMED: 'The client certificate has no name that a caller of this service may have.',
};

/** Lets callers in by their client certificates, under the names of these. */
export function clientCertificateCheck(clients: Pick<ClientTrust, 'identify'>): CallerCheck {
  return (request, response) => {
    const identity = clients.identify(request.socket);
    if ('principal' in identity) {
      identifyCaller(response, identity.principal);
      return null;
    }
    // Another certificate needs another handshake.
    response.setHeader('Connection', 'close');
    response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
    const { fault, problem } = identity;
    return unauthenticated(fault, MESSAGES[fault], problem === undefined ? {} : { problem });
  };
}
