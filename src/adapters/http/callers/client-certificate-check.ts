import { identifyCaller } from '../call-context.ts';
import { unauthenticated } from '../http-refusal.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import type { ClientError, ClientTrust } from '../tls/client-trust.ts';

/** Message of each error. */
export const CERTIFICATE_MESSAGES: { readonly [error in ClientError]: string } = {
  CLIENT_CERTIFICATE_REQUIRED: 'A client certificate is required.',
  CLIENT_CERTIFICATE_UNTRUSTED: 'The client certificate is not trusted; details.problem shows the reason.',
  CLIENT_CERTIFICATE_NOT_LISTED: 'The client certificate is not on the list of allowed certificates.',
  CLIENT_CERTIFICATE_UNNAMED: 'The client certificate has no name that is valid for a caller.',
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
  ['CERT_HAS_EXPIRED', 'The client certificate, or the certificate of one of its authorities, has expired.'],
  ['CERT_NOT_YET_VALID', 'The client certificate, or the certificate of one of its authorities, is not valid yet.'],
  [
    'INVALID_PURPOSE',
    'The client certificate, or the certificate of one of its authorities, is not for TLS clients (clientAuth).',
  ],
  ['CONNECT_AGAIN', 'A certificate authority was removed after this connection was opened. Open a new connection.'],
]);

/** Identifies callers by their client certificates. */
export function clientCertificateCheck(clients: ClientTrust): RequestCheck {
  return (request, response) => {
    const identity = clients.identify(request.socket);
    if ('principal' in identity) {
      identifyCaller(response, identity.principal);
      return null;
    }
    // Another certificate needs a new handshake.
    response.setHeader('Connection', 'close');
    response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
    const { error, problem } = identity;
    if (problem === undefined) return unauthenticated(error, CERTIFICATE_MESSAGES[error]);
    return unauthenticated(error, PROBLEMS.get(problem) ?? CERTIFICATE_MESSAGES[error], { problem });
  };
}
