import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { fromBase64, toBase64 } from '../../../../access-messages/base64-text.ts';
import { decodeRequestAuthInfo, type RequestAuthInfo } from '../../../../access-messages/request-message.ts';
import { encodeResponseAuthInfo } from '../../../../access-messages/response-message.ts';
import { requestContent, responseContent, tokenContent } from '../../../../access-messages/signed-content.ts';
import { parseExpirationTime } from '../../../../domain/model/access-token.ts';
import type {
  AuthenticationFault,
  PresentedClaims,
  PresentedRequest,
} from '../../../../domain/model/authentication.ts';
import { accepted, refused } from '../../../../domain/model/outcome.ts';
import type { AuthenticationService } from '../../../../domain/services/authentication-service.ts';
import type { WallClock } from '../../../../ports/clock.ts';
import type { ServiceIdentity } from '../../../../ports/service-identity.ts';
import { identifyCaller } from '../callers/call-context.ts';
import type { HttpRefusal, Received } from '../http-refusal.ts';
import { type AnswerSigner, signAnswerWith } from './answer-signer.ts';
import { refusedProof, replayGuardUnavailable } from './authentication-refusals.ts';

/** Request header that carries a RequestAuthInfo; Node gives names in lower case. */
const REQUEST_HEADER = 'signing-request-auth';

/** The largest message has some 800 characters. */
const MAX_HEADER_LENGTH = 2048;

/** When a client whose request could not be looked up may come again, seconds. */
const RETRY_AFTER_SECONDS = 1;

/** What callers are asked for. `optional`: whoever sends no header is served, without a name. */
export type AuthenticationMode = 'optional' | 'required';

/** What callers are known by, and answers signed with. */
export interface RequestAuthenticationParts {
  readonly mode: AuthenticationMode;
  readonly service: Pick<AuthenticationService, 'authenticate' | 'knows' | 'preliminaryFault'>;
  readonly identity: Pick<ServiceIdentity, 'token' | 'sign'>;
  readonly clock: WallClock;
}

/** A RequestAuthInfo that came in a header. */
interface Presented {
  readonly info: RequestAuthInfo;
  readonly bytes: Buffer;
}

/** In the place of what was received: the request is answered already. */
export type Answered = 'answered';

/** Looks at a body as it was sent; null when the request is its caller's, else why it is refused. */
export type BodyProof = (body: Buffer) => Promise<HttpRefusal | null>;

/** The messages of mutual authentication in their headers (docs/AUTHENTICATION.md). */
export class RequestAuthentication {
  readonly #parts: RequestAuthenticationParts;

  constructor(parts: RequestAuthenticationParts) {
    this.#parts = parts;
  }

  /** Whether a caller has to say who it is. */
  get isRequired(): boolean {
    return this.#parts.mode === 'required';
  }

  /**
   * Looks at the header, before the body is read: whoever sends a wrong one, or none where one is asked for, has no body held.
   * @param mayVerify asked before a token is verified that is not known, and so before any cryptography; has answered the request when it says no
   * @returns null where the caller need not say who he is, and does not
   */
  async begin(
    request: Request,
    response: Response,
    mayVerify: () => Promise<boolean>,
  ): Promise<Received<BodyProof | null> | Answered> {
    const header = request.headers[REQUEST_HEADER];
    if (header === undefined && this.#parts.mode === 'optional') return accepted(null);
    const presented = header === undefined ? undefined : readHeader(String(header));
    if (presented === undefined) return refused(refusedProof(response, 'AUTHENTICATION_REQUIRED'));
    if (presented === null) return refused(refusedProof(response, 'MALFORMED'));
    const claims = toPresentedClaims(presented);
    if (!this.#parts.service.knows(claims) && !(await mayVerify())) return 'answered';
    const fault = this.#parts.service.preliminaryFault(claims);
    if (fault !== null) return refused(this.#refusalOf(response, fault));
    return accepted((body: Buffer) => this.#prove(presented, claims, request, response, body));
  }

  async #prove(
    presented: Presented,
    claims: PresentedClaims,
    request: Request,
    response: Response,
    body: Buffer,
  ): Promise<HttpRefusal | null> {
    const authentication = await this.#parts.service.authenticate(toPresentedRequest(presented, claims, request, body));
    if (!authentication.ok) return this.#refusalOf(response, authentication.refusal);
    identifyCaller(response, authentication.value);
    signAnswerWith(response, this.#signerOf(presented));
    return null;
  }

  #refusalOf(response: Response, fault: AuthenticationFault): HttpRefusal {
    if (fault === 'REPLAY_GUARD_UNAVAILABLE') return replayGuardUnavailable(response, RETRY_AFTER_SECONDS);
    if (fault !== 'TIME_OUT_OF_WINDOW') return refusedProof(response, fault);
    return refusedProof(response, fault, { serverTime: this.#parts.clock.now() / 1000 });
  }

  #signerOf({ info, bytes }: Presented): AnswerSigner {
    const { identity } = this.#parts;
    return (status, bodyDigest) => {
      const claims = { serviceAccessToken: identity.token, nonce: info.nonce };
      const signature = identity.sign(responseContent(claims, sha256(bytes), { status, bodyDigest }));
      return toBase64(encodeResponseAuthInfo({ ...claims, signature }));
    };
  }
}

function readHeader(text: string): Presented | null {
  const bytes = text.length > MAX_HEADER_LENGTH ? null : fromBase64(text);
  const info = bytes === null ? null : decodeRequestAuthInfo(bytes);
  return bytes === null || info === null ? null : { info, bytes };
}

function toPresentedClaims({ info }: Presented): PresentedClaims {
  const { clientAccessToken: token, servicePublicKey, time } = info;
  const content = tokenContent(token);
  return {
    token,
    tokenName: Buffer.concat([content, token.signature]).toString('latin1'),
    tokenContent: content,
    // It was parsed when the message was read.
    expiresAt: parseExpirationTime(token.expirationTime) ?? Number.NEGATIVE_INFINITY,
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
  const sent = { method: request.method, target: request.originalUrl, bodyDigest: sha256(body) };
  return { ...claims, nonce, content: requestContent(info, sent), signature };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
