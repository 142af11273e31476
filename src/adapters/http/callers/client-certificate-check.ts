import { identifyCaller } from '../call-context.ts';
import { unauthenticated } from '../http-refusal.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import type { ClientError, ClientTrust } from '../tls/client-trust.ts';
import type { ForwardedClients } from '../tls/forwarded-clients.ts';

/** Message of each error. */
export const CERTIFICATE_MESSAGES: { readonly [error in ClientError]: string } = {
  CLIENT_CERTIFICATE_REQUIRED: 'A client certificate is required.',
  CLIENT_CERTIFICATE_UNTRUSTED: 'The client certificate is not trusted; details.problem shows the reason.',
  CLIENT_CERTIFICATE_NOT_LISTED: 'The client certificate is not on the list of allowed certificates.',
  CLIENT_CERTIFICATE_UNNAMED: 'The client certificate has no name that is valid for a caller.',
  FORWARDED_CERTIFICATE_MISSING: 'A client certificate is required, and the proxy forwarded none.',
  FORWARDED_CERTIFICATE_MALFORMED:
    'The proxy must forward exactly one client certificate, in the form of SIGNING_TLS_CLIENT_CERT_HEADER.',
  PROXY_CERTIFICATE_REFUSED:
    "The proxy's own client certificate is missing or not accepted; details.problem shows the reason.",
};

const NO_AUTHORITY =
  'The client certificate was not issued by a trusted certificate authority, or an intermediate certificate is missing.';

/** Messages by OpenSSL error code. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NO_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NO_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NO_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', NO_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'The client certificate, or the certificate of one of its authorities, has expired.'],
  ['CERT_NOT_YET_VALID', 'The client certificate, or the certificate of one of its authorities, is not valid yet.'],
  [
    'INVALID_PURPOSE',
    'The client certificate, or the certificate of one of its authorities, is not for TLS clients (clientAuth).',
  ],
  ['CONNECT_AGAIN', 'A certificate authority was removed after this connection was opened. Open a new connection.'],
]);

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
    response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
    if (problem === undefined) return unauthenticated(error, CERTIFICATE_MESSAGES[error]);
    const message = error === 'CLIENT_CERTIFICATE_UNTRUSTED' ? PROBLEMS.get(problem) : undefined;
    return unauthenticated(error, message ?? CERTIFICATE_MESSAGES[error], { problem });
  };
}
