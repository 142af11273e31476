import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AuthenticationIssue, PresentedClaims, PresentedRequest } from '../../../domain/model/authentication.ts';
import { accepted, type Outcome, type Refusal, refused } from '../../../domain/model/refusal.ts';
import { decodeBase64 } from '../../../domain/model/text/byte-encodings.ts';
import { parseIsoTime } from '../../../domain/model/text/iso-time.ts';
import type { AuthenticationService } from '../../../domain/services/authentication-service.ts';
import type { ServiceIdentity } from '../../../ports/authentication.ts';
import type { WallClock } from '../../../ports/clock.ts';
import {
  decodeRequestAuthInfo,
  encodeResponseAuthInfo,
  type RequestAuthInfo,
} from '../../auth/messages/access-messages.ts';
import { requestContent, responseContent, tokenContent } from '../../auth/messages/signed-content.ts';
import { identifyCaller } from '../call-context.ts';
import { refuseRequest } from '../refusals.ts';
import { type ResponseSigner, signResponseWith } from '../response-signature.ts';

/** Header with a RequestAuthInfo; Node lowercases names. */
const REQUEST_HEADER = 'signing-request-auth';

/** The largest valid message has some 800 characters. */
const MAX_HEADER_LENGTH = 2048;

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

/** Authenticates a complete body; returns null or the refusal. */
export type BodyAuthentication = (body: Buffer) => Promise<Refusal | null>;

/** Mutual authentication by messages in headers (docs/callers/authentication.md). */
export class RequestAuthentication {
  readonly #dependencies: RequestAuthenticationDependencies;

  constructor(dependencies: RequestAuthenticationDependencies) {
    this.#dependencies = dependencies;
  }

  get isRequired(): boolean {
    return this.#dependencies.mode === 'required';
  }

  /**
   * Checks the header before memory is used for the body.
   * @param mayVerify called before an unknown token is verified; returns null or a refusal
   * @returns null for an anonymous caller
   */
  async begin(
    request: Request,
    response: Response,
    mayVerify: () => Promise<Refusal | null>,
  ): Promise<Outcome<BodyAuthentication | null>> {
    const header = request.headers[REQUEST_HEADER];
    if (header === undefined && this.#dependencies.mode === 'optional') return accepted(null);
    const presented = header === undefined ? undefined : readHeader(String(header));
    if (presented === undefined)
      return refused(refuseRequest('Unauthenticated', { reason: 'AUTHENTICATION_REQUIRED' }));
    if (presented === null) return refused(refuseRequest('Unauthenticated', { reason: 'MALFORMED' }));
    const claims = toPresentedClaims(presented);
    const limited = this.#dependencies.service.isTokenVerified(claims) ? null : await mayVerify();
    if (limited !== null) return refused(limited);
    const issue = this.#dependencies.service.findPreliminaryIssue(claims);
    if (issue !== null) return refused(this.#refuse(issue));
    return accepted((body: Buffer) => this.#authenticate(presented, claims, request, response, body));
  }

  async #authenticate(
    presented: Presented,
    claims: PresentedClaims,
    request: Request,
    response: Response,
    body: Buffer,
  ): Promise<Refusal | null> {
    const authentication = await this.#dependencies.service.authenticate(
      toPresentedRequest(presented, claims, request, body),
    );
    if (!authentication.ok) return this.#refuse(authentication.refusal);
    identifyCaller(response, authentication.value);
    signResponseWith(response, this.#createSigner(presented));
    return null;
  }

  #refuse(issue: AuthenticationIssue): Refusal {
    if (issue === 'REPLAY_GUARD_UNAVAILABLE') return refuseRequest('ReplayGuardUnavailable');
    const serverTime = this.#dependencies.clock.now() / 1000;
    return refuseRequest('Unauthenticated', {
      reason: issue,
      ...(issue === 'TIME_OUT_OF_WINDOW' ? { serverTime } : {}),
    });
  }

  #createSigner({ info, bytes }: Presented): ResponseSigner {
    const { identity } = this.#dependencies;
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
