import type { AccessAuthorities, ServiceIdentity } from '../../ports/authentication.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ReplayClaimResult } from '../../ports/replay-guard.ts';
import {
  type AuthenticationIssue,
  type PresentedClaims,
  type PresentedRequest,
  TIME_WINDOW_MS,
} from '../model/authentication.ts';
import { accepted, type Outcome, refused } from '../model/refusal.ts';

/** Verified tokens that are cached. */
const MAX_KNOWN_TOKENS = 1024;

type Parts = Pick<Ports, 'verifier' | 'guard' | 'hasher'> & {
  readonly authorities: AccessAuthorities;
  readonly identity: ServiceIdentity;
  readonly clock: WallClock;
};

const ISSUE_OF_CLAIM: { readonly [Claim in Exclude<ReplayClaimResult, 'new'>]: AuthenticationIssue } = {
  seen: 'REPLAYED',
  'too-old': 'TIME_OUT_OF_WINDOW',
  unavailable: 'REPLAY_GUARD_UNAVAILABLE',
};

/**
 * Authenticates callers. Nonces are stored only after the signatures verify; earlier checks use the
 * header alone.
 */
export class AuthenticationService {
  readonly #parts: Parts;
  /** Tokens verified under one of `#authorities`, oldest first. */
  readonly #known = new Set<string>();
  #authorities: readonly Uint8Array[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Checks a request before its body is read; null if it may be authentic. Tokens are not secret,
   * so this authenticates nobody; it saves buffering the bodies of requests that must fail.
   */
  findPreliminaryIssue(claims: PresentedClaims): AuthenticationIssue | null {
    const { identity, clock } = this.#parts;
    if (!this.#isIssued(claims)) return 'UNKNOWN_AUTHORITY';
    if (!identity.isOwn(claims.servicePublicKey)) return 'WRONG_SERVICE';
    const now = clock.now();
    if (now >= claims.expiresAt) return 'TOKEN_EXPIRED';
    // Written so that NaN is rejected too.
    return Math.abs(now - claims.madeAt) <= TIME_WINDOW_MS ? null : 'TIME_OUT_OF_WINDOW';
  }

  /**
   * Whether the token's signature is already verified under an authority that is still trusted;
   * cheap.
   */
  isTokenVerified({ tokenName }: PresentedClaims): boolean {
    this.#forgetRevoked();
    return this.#known.has(tokenName);
  }

  /** The caller's name, or why it is not authenticated. */
  async authenticate(request: PresentedRequest): Promise<Outcome<string, AuthenticationIssue>> {
    const { token, content, signature } = request;
    if (!this.#isIssued(request)) return refused('UNKNOWN_AUTHORITY');
    if (!this.#parts.verifier.verify(token.publicKey, content, signature)) return refused('INVALID_SIGNATURE');
    // Again: time passed while the body arrived.
    const issue = this.findPreliminaryIssue(request);
    if (issue !== null) return refused(issue);
    const claim = await this.#claim(request);
    return claim === 'new' ? accepted(token.username) : refused(ISSUE_OF_CLAIM[claim]);
  }

  #isIssued(claims: PresentedClaims): boolean {
    if (this.isTokenVerified(claims)) return true;
    const { token, tokenName, tokenContent } = claims;
    const { verifier, authorities } = this.#parts;
    if (!authorities.current.some((authority) => verifier.verify(authority, tokenContent, token.signature)))
      return false;
    this.#remember(tokenName);
    return true;
  }

  /** A reloaded or longer list revokes nothing. */
  #forgetRevoked(): void {
    const { current } = this.#parts.authorities;
    if (current === this.#authorities) return;
    const isRevoked = (authority: Uint8Array) => !current.some((key) => isSameKey(key, authority));
    if (this.#authorities.some(isRevoked)) this.#known.clear();
    this.#authorities = current;
  }

  #remember(tokenName: string): void {
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN_TOKENS) this.#known.delete(oldest);
    this.#known.add(tokenName);
  }

  /** The key includes the client's public key, so that no client can use up another's nonces. */
  #claim({ token, nonce, madeAt }: PresentedRequest): Promise<ReplayClaimResult> {
    const { hasher, guard } = this.#parts;
    const key = hasher.digest('sha256', Uint8Array.of(...token.publicKey, ...nonce));
    return guard.claim({ key, madeAt, until: madeAt + TIME_WINDOW_MS });
  }
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
