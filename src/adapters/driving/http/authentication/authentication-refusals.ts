import type { ServerResponse } from 'node:http';
import type { AuthenticationFault } from '../../../../domain/model/authentication.ts';
import { type HttpRefusal, unauthenticated } from '../http-refusal.ts';

/** What `details.reason` of an UNAUTHENTICATED answer says. */
export type UnauthenticatedReason =
  | 'AUTHENTICATION_REQUIRED'
  | 'MALFORMED'
  | Exclude<AuthenticationFault, 'REPLAY_GUARD_UNAVAILABLE'>;

/** What is said of each. */
export const PROOF_MESSAGES: { readonly [Reason in UnauthenticatedReason]: string } = {
  AUTHENTICATION_REQUIRED: 'This service asks for the header Signing-Request-Auth.',
  MALFORMED: 'The header Signing-Request-Auth holds no RequestAuthInfo in canonical encoding, base64.',
  UNKNOWN_AUTHORITY:
    'The access token is signed by no authority that this service believes; ask whoever issued it for another.',
  INVALID_SIGNATURE: "The request's signature in the header Signing-Request-Auth is not right.",
  WRONG_SERVICE: 'The request is signed for a service with another key.',
  TOKEN_EXPIRED: 'The access token has expired; ask whoever issued it for another.',
  TIME_OUT_OF_WINDOW:
    "The time in the request is too far from the service's (details.serverTime), or from before the time since when it, or Redis, remembers requests.",
  REPLAYED: 'This nonce was used before; sign each request with a new one.',
};

/** It is not known who calls. The answer gets `WWW-Authenticate` (RFC 9110 §15.5.2). */
export function refusedProof(
  response: ServerResponse,
  reason: UnauthenticatedReason,
  details: HttpRefusal['details'] = {},
): HttpRefusal {
  response.setHeader('WWW-Authenticate', 'Signing-Request-Auth');
  return unauthenticated(reason, PROOF_MESSAGES[reason], details);
}

/** Whether the request came before can't be told now, so it is not taken. The answer gets `Retry-After`. */
export function replayGuardUnavailable(response: ServerResponse, retryAfterSeconds: number): HttpRefusal {
  response.setHeader('Retry-After', retryAfterSeconds);
  return requestNotLookedUp(retryAfterSeconds);
}

/** The same without its header. */
export function requestNotLookedUp(retryAfterSeconds: number): HttpRefusal {
  return {
    code: 'NOT_READY',
    message:
      'This service can not tell now whether the request came before, so nothing was done; sign it anew, with another nonce, and send it again later.',
    details: { reason: 'REPLAY_GUARD_UNAVAILABLE', retryAfterSeconds },
  };
}
