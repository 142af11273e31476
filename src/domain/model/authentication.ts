/** Allowed difference between a request's time and the service's, either way. */
export const TIME_WINDOW_MS = 30_000;

/** The well-formed claims of a request, not verified yet. */
export interface PresentedClaims {
  readonly token: AccessToken;
  /** Unique per token. */
  readonly tokenName: string;
  readonly tokenContent: Uint8Array;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly expiresAt: number;
  readonly servicePublicKey: Uint8Array;
  /** When the client made the request, milliseconds since 1970-01-01T00:00:00Z. */
  readonly madeAt: number;
}

/** Claims with the client's signature. */
export interface PresentedRequest extends PresentedClaims {
  readonly nonce: Uint8Array;
  /** The bytes that the client signed, the request included. */
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
}

/** Why a request is not authenticated, in the order of the checks. */
export type AuthenticationIssue =
  | 'UNKNOWN_AUTHORITY'
  | 'INVALID_SIGNATURE'
  | 'WRONG_SERVICE'
  | 'TOKEN_EXPIRED'
  | 'TIME_OUT_OF_WINDOW'
  | 'REPLAYED'
  | 'REPLAY_GUARD_UNAVAILABLE';

/** A token's claims: the holder of a key has this name until it expires. */
export interface TokenClaims {
  readonly username: string;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** `YYYY-MM-DDTHH:MM:SSZ`, optionally with `.mmm` (RFC 3339 §5.6, UTC only). */
  readonly expirationTime: string;
}

/** Claims with the authority's signature (specification, Authentication 3). */
export interface AccessToken extends TokenClaims {
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
}

/** A new authority. */
export interface NewAuthority {
  /** Base58. */
  readonly publicKey: string;
  readonly keyFile: string;
  /** File that lists its public key; null for none. */
  readonly authoritiesFile: string | null;
}

/** The key of a token: a known public key, a new key, or the service's own, created if missing. */
export type TokenSubject =
  | { readonly kind: 'public-key'; readonly text: string }
  | { readonly kind: 'public-key-file'; readonly file: string }
  | { readonly kind: 'new-key-file'; readonly file: string }
  | { readonly kind: 'service' };

/** A request for a token. */
export interface TokenSpec {
  readonly username: string;
  /** Milliseconds, or the expiration time as the token will hold it. */
  readonly validity: { readonly forMs: number } | { readonly until: string };
  readonly authorityKeyFile: string;
  readonly subject: TokenSubject;
  /**
   * New file for the token; null for none. The service's own token replaces the one that the
   * service reads.
   */
  readonly outFile: string | null;
}

/** An issued token. */
export interface IssuedToken {
  /** Base64 of the AccessToken. */
  readonly token: string;
  readonly username: string;
  /** Base58. */
  readonly publicKey: string;
  readonly expirationTime: string;
  /** File of the new key or the service's; null when only the public half is known. */
  readonly keyFile: string | null;
  readonly isNewKey: boolean;
  /** Null for none. */
  readonly tokenFile: string | null;
  /** Whether this service trusts the issuing authority. */
  readonly isBelieved: boolean;
}

/** Content of a token, or of a request's message. */
export interface TokenInspection {
  readonly message: 'AccessToken' | 'RequestAuthInfo';
  readonly username: string;
  /** Base58. */
  readonly publicKey: string;
  readonly expirationTime: string;
  readonly hasExpired: boolean;
  /** The trusted authority that signed it, base58; null for none. */
  readonly issuer: string | null;
  /** Null for a token alone. Its signature cannot be verified without the HTTP request. */
  readonly request: {
    /** Base58. */
    readonly servicePublicKey: string;
    /** ISO 8601 UTC; null for an impossible date. */
    readonly time: string | null;
    /** Hex. */
    readonly nonce: string;
  } | null;
}

/**
 * A principal: 1 to 256 letters, digits, `. _ : @ / = + , -` and spaces; starts with a letter or
 * digit, does not end with a space. Needs no escaping in permission patterns, logs and audit lines.
 */
export const PRINCIPAL_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._:@/=+, -]{0,254}[A-Za-z0-9._:@/=+,-])?$/;

/** Names unauthenticated callers in permissions; no principal may have this name. */
export const ANONYMOUS = 'anonymous';

/** Whether a caller may have this name. */
export function isPrincipal(text: string): boolean {
  return text !== ANONYMOUS && PRINCIPAL_PATTERN.test(text);
}
