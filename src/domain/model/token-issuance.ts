/** A new authority. */
export interface NewAuthority {
  /** Base58. */
  readonly publicKey: string;
  readonly keyFile: string;
  /** File that its public key was added to; null for none. */
  readonly authoritiesFile: string | null;
}

/**
 * The key that a token is for: one whose public half is given, as text or in a file; a new one,
 * written to a file; or the service's, which is made where there is none.
 */
export type TokenSubject =
  | { readonly kind: 'public-key'; readonly text: string }
  | { readonly kind: 'public-key-file'; readonly file: string }
  | { readonly kind: 'new-key-file'; readonly file: string }
  | { readonly kind: 'service' };

/** A request for a token. */
export interface TokenWish {
  readonly username: string;
  /** How long it is valid, milliseconds; or its expiration time, as the token will hold it. */
  readonly validity: { readonly forMs: number } | { readonly until: string };
  readonly authorityKeyFile: string;
  readonly subject: TokenSubject;
  /**
   * File for the token, which must not exist; null for none. The service's own token goes where the
   * service reads it and replaces the one there.
   */
  readonly outFile: string | null;
}

/** A token that was issued. */
export interface IssuedToken {
  /** Base64 of the AccessToken. */
  readonly token: string;
  readonly username: string;
  /** Base58. */
  readonly publicKey: string;
  readonly expirationTime: string;
  /** File of the new key, or of the service's; null when only its public half is known. */
  readonly keyFile: string | null;
  /** Whether this request made that key. */
  readonly isNewKey: boolean;
  /** File that the token was written to; null for none. */
  readonly tokenFile: string | null;
  /** Whether this service trusts the authority that signed it. */
  readonly isBelieved: boolean;
}

/** The content of a token, or of the message of a request. */
export interface TokenInspection {
  readonly message: 'AccessToken' | 'RequestAuthInfo';
  readonly username: string;
  /** Base58. */
  readonly publicKey: string;
  readonly expirationTime: string;
  readonly hasExpired: boolean;
  /** The authority of this service's list that signed it, base58; null when none of them did. */
  readonly issuer: string | null;
  /**
   * Null for a token alone. The request itself is absent, so its signature can't be verified.
   */
  readonly request: {
    /** Base58. */
    readonly servicePublicKey: string;
    /** ISO 8601 UTC; null for one that no calendar has. */
    readonly time: string | null;
    /** Hex. */
    readonly nonce: string;
  } | null;
}
