import { identifyCaller } from '../call-context.ts';
import { unauthenticated } from '../http-refusal.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import type { ClientError, ClientTrust } from '../tls/client-trust.ts';

/** Message of each error. */
export const CERTIFICATE_MESSAGES: { readonly [error in ClientError]: string } = {
  CLIENT_CERTIFICATE_REQUIRED: 'This service asks for a client certificate, and there was none.',
  CLIENT_CERTIFICATE_UNTRUSTED: 'The client certificate can not be believed; details.problem says why.',
  CLIENT_CERTIFICATE_NOT_LISTED: 'The client certificate is not one of those that this service takes.',
  CLIENT_CERTIFICATE_UNNAMED: 'The client certificate has no name that a caller of this service may have.',
};

const NO_AUTHORITY =
  'The client certificate was not issued by an authority of this service, or that of an authority between them did not come beside it.';

/** Messages by OpenSSL error code. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NO_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', NO_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NO_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NO_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'The period of the client certificate, or of an authority of it, is over.'],
  ['CERT_NOT_YET_VALID', 'The period of the client certificate, or of an authority of it, has not begun.'],
  [
    'INVALID_PURPOSE',
    'The client certificate, or an authority of it, is for another use than TLS clients (clientAuth).',
  ],
  [
    'CONNECT_AGAIN',
    'An authority was taken away since this connection was opened: connect again to be looked at anew.',
  ],
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
