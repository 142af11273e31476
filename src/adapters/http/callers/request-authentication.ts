import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { AuthenticationIssue, PresentedClaims, PresentedRequest } from '../../../domain/model/authentication.ts';
import { accepted, refused } from '../../../domain/model/outcome.ts';
import { decodeBase64 } from '../../../domain/model/text/byte-encodings.ts';
import { parseIsoTime } from '../../../domain/model/text/iso-time.ts';
import type { AuthenticationService } from '../../../domain/services/authentication-service.ts';
import type { ServiceIdentity } from '../../../ports/access-authorities.ts';
import type { WallClock } from '../../../ports/clock.ts';
import {
  decodeRequestAuthInfo,
  encodeResponseAuthInfo,
  type RequestAuthInfo,
} from '../../auth/messages/access-messages.ts';
import { requestContent, responseContent, tokenContent } from '../../auth/messages/signed-content.ts';
import { identifyCaller } from '../call-context.ts';
import { type HttpRefusal, type Received, unauthenticated } from '../http-refusal.ts';
import { type ResponseSigner, signResponseWith } from './response-signer.ts';

/** `details.reason` of UNAUTHENTICATED. */
export type UnauthenticatedReason =
  | 'AUTHENTICATION_REQUIRED'
  | 'MALFORMED'
  | Exclude<AuthenticationIssue, 'REPLAY_GUARD_UNAVAILABLE'>;

/** Message of each reason. */
export const AUTHENTICATION_MESSAGES: { readonly [Reason in UnauthenticatedReason]: string } = {
  AUTHENTICATION_REQUIRED: 'The header Signing-Request-Auth is required.',
  MALFORMED: 'The header Signing-Request-Auth must be a canonically encoded RequestAuthInfo in base64.',
  UNKNOWN_AUTHORITY: 'The access token is not signed by a trusted authority. Request a new one from its issuer.',
  INVALID_SIGNATURE: 'The request signature in the header Signing-Request-Auth is invalid.',
  WRONG_SERVICE: 'The request is signed for a service with a different key.',
  TOKEN_EXPIRED: 'The access token has expired. Request a new one from its issuer.',
  TIME_OUT_OF_WINDOW:
    "The request time is too far from the service's time (details.serverTime), or before the start of replay protection.",
  REPLAYED: 'This nonce was already used. Sign each request with a new nonce.',
};

/** Refuses with `WWW-Authenticate` (RFC 9110 §15.5.2). */
export function refuseAuthentication(
  response: ServerResponse,
  reason: UnauthenticatedReason,
  details: HttpRefusal['details'] = {},
): HttpRefusal {
  response.setHeader('WWW-Authenticate', 'Signing-Request-Auth');
  return unauthenticated(reason, AUTHENTICATION_MESSAGES[reason], details);
}

/** Refuses a request that cannot be checked for replay, with `Retry-After`. */
export function refuseUncheckedReplay(response: ServerResponse, retryAfterSeconds: number): HttpRefusal {
  response.setHeader('Retry-After', retryAfterSeconds);
  return replayGuardUnavailable(retryAfterSeconds);
}

/** The refusal without the header. */
export function replayGuardUnavailable(retryAfterSeconds: number): HttpRefusal {
  return {
    code: 'NOT_READY',
    message:
      'Replay protection is unavailable, so nothing was done. Sign the request again with a new nonce, and retry after details.retryAfterSeconds.',
    details: { reason: 'REPLAY_GUARD_UNAVAILABLE', retryAfterSeconds },
  };
}

/** Header with a RequestAuthInfo; Node lowercases names. */
const REQUEST_HEADER = 'signing-request-auth';

/** The largest valid message has some 800 characters. */
const MAX_HEADER_LENGTH = 2048;

const RETRY_AFTER_SECONDS = 1;

/** `optional`: requests without the header are served anonymously. */
export type AuthenticationMode = 'optional' | 'required';

/** Dependencies of request authentication. */
export interface RequestAuthenticationDependencies {
  readonly mode: AuthenticationMode;
  readonly service: Pick<AuthenticationService, 'authenticate' | 'isTokenVerified' | 'findPreliminaryIssue'>;
  readonly identity: Pick<ServiceIdentity, 'token' | 'sign'>;
  readonly clock: WallClock;
}

/** A RequestAuthInfo from a header. */
interface Presented {
  readonly info: RequestAuthInfo;
  readonly bytes: Uint8Array;
}

/** The response was already sent. */
export type Responded = 'responded';

/** Authenticates a complete body; returns null or the refusal. */
export type BodyAuthentication = (body: Buffer) => Promise<HttpRefusal | null>;

/** Mutual authentication by messages in headers (docs/callers/authentication.md). */
export class RequestAuthentication {
  readonly #parts: RequestAuthenticationDependencies;

  constructor(parts: RequestAuthenticationDependencies) {
    this.#parts = parts;
  }

  get isRequired(): boolean {
    return this.#parts.mode === 'required';
  }

  /**
   * Checks the header before memory is used for the body.
   * @param mayVerify called before an unknown token is verified; false if it has responded
   * @returns null for an anonymous caller
   */
  async begin(
    request: Request,
    response: Response,
    mayVerify: () => Promise<boolean>,
  ): Promise<Received<BodyAuthentication | null> | Responded> {
    const header = request.headers[REQUEST_HEADER];
    if (header === undefined && this.#parts.mode === 'optional') return accepted(null);
    const presented = header === undefined ? undefined : readHeader(String(header));
    if (presented === undefined) return refused(refuseAuthentication(response, 'AUTHENTICATION_REQUIRED'));
    if (presented === null) return refused(refuseAuthentication(response, 'MALFORMED'));
    const claims = toPresentedClaims(presented);
    if (!this.#parts.service.isTokenVerified(claims) && !(await mayVerify())) return 'responded';
    const issue = this.#parts.service.findPreliminaryIssue(claims);
    if (issue !== null) return refused(this.#refuse(response, issue));
    return accepted((body: Buffer) => this.#authenticate(presented, claims, request, response, body));
  }

  async #authenticate(
    presented: Presented,
    claims: PresentedClaims,
    request: Request,
    response: Response,
    body: Buffer,
  ): Promise<HttpRefusal | null> {
    const authentication = await this.#parts.service.authenticate(toPresentedRequest(presented, claims, request, body));
    if (!authentication.ok) return this.#refuse(response, authentication.refusal);
    identifyCaller(response, authentication.value);
    signResponseWith(response, this.#createSigner(presented));
    return null;
  }

  #refuse(response: Response, issue: AuthenticationIssue): HttpRefusal {
    if (issue === 'REPLAY_GUARD_UNAVAILABLE') return refuseUncheckedReplay(response, RETRY_AFTER_SECONDS);
    if (issue !== 'TIME_OUT_OF_WINDOW') return refuseAuthentication(response, issue);
    return refuseAuthentication(response, issue, { serverTime: this.#parts.clock.now() / 1000 });
  }

  #createSigner({ info, bytes }: Presented): ResponseSigner {
    const { identity } = this.#parts;
    return (status, bodyDigest) => {
      const claims = { serviceAccessToken: identity.token, nonce: info.nonce };
      const signature = identity.sign(responseContent(claims, sha256(bytes), { status, bodyDigest }));
      return Buffer.from(encodeResponseAuthInfo({ ...claims, signature })).toString('base64');
    };
  }
}

function readHeader(text: string): Presented | null {
  const bytes = text.length > MAX_HEADER_LENGTH ? undefined : decodeBase64(text);
  const info = bytes === undefined ? null : decodeRequestAuthInfo(bytes);
  return bytes === undefined || info === null ? null : { info, bytes };
}

function toPresentedClaims({ info }: Presented): PresentedClaims {
  const { clientAccessToken: token, servicePublicKey, time } = info;
  const content = tokenContent(token);
  return {
    token,
    tokenName: Buffer.concat([content, token.signature]).toString('latin1'),
    tokenContent: content,
    // It was already parsed with the message.
    expiresAt: parseIsoTime(token.expirationTime) ?? Number.NEGATIVE_INFINITY,
    servicePublicKey,
    madeAt: time * 1000,
  };
}

function toPresentedRequest(
  { info }: Presented,
  claims: PresentedClaims,
  request: Request,
  body: Buffer,
): PresentedRequest {
  const { nonce, signature } = info;
  const signedParts = { method: request.method, target: request.originalUrl, bodyDigest: sha256(body) };
  return { ...claims, nonce, content: requestContent(info, signedParts), signature };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
