/** A new authority. */
export interface NewAuthority {
  /** Base58. */
  readonly publicKey: string;
  readonly keyFile: string;
  /** Where its public key was added; null when it was not. */
  readonly authoritiesFile: string | null;
}

/** Whose key a token is for: one whose public half is given, as text or in a file; a new one, written to a file; or the service's, which is made where there is none. */
export type TokenSubject =
  | { readonly kind: 'public-key'; readonly text: string }
  | { readonly kind: 'public-key-file'; readonly file: string }
  | { readonly kind: 'new-key-file'; readonly file: string }
  | { readonly kind: 'service' };

/** A token that is asked for. */
export interface TokenWish {
  readonly username: string;
  /** How long it is good, milliseconds; or until when, as it will stand in the token. */
  readonly validity: { readonly forMs: number } | { readonly until: string };
  readonly authorityKeyFile: string;
  readonly subject: TokenSubject;
  /** File for the token, which must not exist; null for none. That of the service goes where the service reads it, and takes the place of what is there. */
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
  /** Where the key is that was made, or that is the service's; null when only its public half is known. */
  readonly keyFile: string | null;
  /** Whether that key was made now. */
  readonly isNewKey: boolean;
  /** Where the token was written; null when it was not. */
  readonly tokenFile: string | null;
  /** Whether the authority that signed it is one that this service believes. */
  readonly isBelieved: boolean;
}

/** What stands in a token, or in the message of a request. */
export interface TokenInspection {
  readonly message: 'AccessToken' | 'RequestAuthInfo';
  readonly username: string;
  /** Base58. */
  readonly publicKey: string;
  readonly expirationTime: string;
  readonly hasExpired: boolean;
  /** The authority of this service's list that signed it, base58; null when none of them did. */
  readonly issuer: string | null;
  /** Null for a token alone. The request itself is not there, so whether its signature is right can't be told. */
  readonly request: {
    /** Base58. */
    readonly servicePublicKey: string;
    /** ISO 8601 UTC; null for one that no calendar has. */
    readonly time: string | null;
    /** Hex. */
    readonly nonce: string;
  } | null;
}

/**
 * Makes and shows access tokens.
 *
 * An adapter MUST write keys where only their owner can read them, and never over another file; MUST NOT give a private key to its caller; MUST refuse a public key under which everybody can sign; MUST NOT leave the service a list of authorities or a token with which it would not
 * start, where it would have started before; MUST leave nothing of what it made when it throws. What can't be done is thrown as EditRefusedError, whose message says why and what to do.
 */
export interface TokenAdministration {
  /** @param believe whether this service is to believe it: its public key is added to the list of authorities */
  createAuthority(keyFile: string, believe: boolean): NewAuthority;

  issue(wish: TokenWish): IssuedToken;

  /** @param text base64 of an AccessToken or of a RequestAuthInfo */
  inspect(text: string): TokenInspection;
}
