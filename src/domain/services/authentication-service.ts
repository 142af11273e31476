import type { AccessAuthorities } from '../../ports/access-authorities.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { ReplayClaim, ReplayGuard } from '../../ports/replay-guard.ts';
import type { ServiceIdentity } from '../../ports/service-identity.ts';
import type { SignatureVerifier } from '../../ports/signature-verifier.ts';
import {
  type AuthenticationFault,
  type PresentedClaims,
  type PresentedRequest,
  TIME_WINDOW_MS,
} from '../model/authentication.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';

/** Most tokens whose authority's signature is not verified again. */
const MAX_KNOWN_TOKENS = 1024;

/** What it takes to say who calls. */
export interface AuthenticationParts {
  readonly authorities: AccessAuthorities;
  readonly identity: ServiceIdentity;
  readonly verifier: SignatureVerifier;
  readonly guard: ReplayGuard;
  readonly hasher: Hasher;
  readonly clock: WallClock;
}

const FAULT_OF_CLAIM: { readonly [Claim in Exclude<ReplayClaim, 'new'>]: AuthenticationFault } = {
  seen: 'REPLAYED',
  'too-old': 'TIME_OUT_OF_WINDOW',
  unavailable: 'REPLAY_GUARD_UNAVAILABLE',
};

/** Says who makes a request. No nonce is remembered before the signatures are right; what is told before is what the header itself shows. */
export class AuthenticationService {
  readonly #parts: AuthenticationParts;
  /** Names of tokens that were verified under one of `#authorities`, the oldest first. */
  readonly #known = new Set<string>();
  #authorities: readonly Uint8Array[] = [];

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
  }

  /**
   * What can be told of a request before its body has come: whether it may be its caller's. Null when it may. Anybody who saw the token passes; who does not is nobody whose body should be held.
   */
  preliminaryFault(claims: PresentedClaims): AuthenticationFault | null {
    const { identity, clock } = this.#parts;
    if (!this.#isIssued(claims)) return 'UNKNOWN_AUTHORITY';
    if (!identity.isOwn(claims.servicePublicKey)) return 'WRONG_SERVICE';
    const now = clock.now();
    if (now >= claims.expiresAt) return 'TOKEN_EXPIRED';
    // In this form it is also true for what is no number.
    return Math.abs(now - claims.madeAt) <= TIME_WINDOW_MS ? null : 'TIME_OUT_OF_WINDOW';
  }

  /** Whether the authority's signature of this token was found right before, by an authority that is still believed: it costs nothing to look at. */
  knows({ tokenName }: PresentedClaims): boolean {
    this.#forgetDisbelieved();
    return this.#known.has(tokenName);
  }

  /** The caller's name, or why it is not known. */
  async authenticate(request: PresentedRequest): Promise<Outcome<string, AuthenticationFault>> {
    const { token, content, signature } = request;
    if (!this.#isIssued(request)) return refused('UNKNOWN_AUTHORITY');
    if (!this.#parts.verifier.verify(token.publicKey, content, signature)) return refused('INVALID_SIGNATURE');
    // Once more: while its body came, time went by.
    const fault = this.preliminaryFault(request);
    if (fault !== null) return refused(fault);
    const claim = await this.#claim(request);
    return claim === 'new' ? accepted(token.username) : refused(FAULT_OF_CLAIM[claim]);
  }

  #isIssued(claims: PresentedClaims): boolean {
    if (this.knows(claims)) return true;
    const { token, tokenName, tokenContent } = claims;
    const { verifier, authorities } = this.#parts;
    if (!authorities.current.some((authority) => verifier.verify(authority, tokenContent, token.signature)))
      return false;
    this.#remember(tokenName);
    return true;
  }

  /** A list that is read again, or has an authority more, takes back nothing that was believed. */
  #forgetDisbelieved(): void {
    const { current } = this.#parts.authorities;
    if (current === this.#authorities) return;
    const isTakenOut = (authority: Uint8Array) => !current.some((key) => isSameKey(key, authority));
    if (this.#authorities.some(isTakenOut)) this.#known.clear();
    this.#authorities = current;
  }

  #remember(tokenName: string): void {
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN_TOKENS) this.#known.delete(oldest);
    this.#known.add(tokenName);
  }

  /** Under the client's key as well, so that nobody can use up the nonces of others. */
  #claim({ token, nonce, madeAt }: PresentedRequest): Promise<ReplayClaim> {
    const { hasher, guard } = this.#parts;
    const key = hasher.digest('sha256', Uint8Array.of(...token.publicKey, ...nonce));
    return guard.claim({ key, madeAt, until: madeAt + TIME_WINDOW_MS });
  }
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
