/** What an authority says in a token: whoever holds the private half of a public key is called so, for some time. */
export interface TokenClaims {
  /** A principal. */
  readonly username: string;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** See {@link parseExpirationTime}. */
  readonly expirationTime: string;
}

/** The same with the authority's signature (specification, Authentication 3). */
export interface AccessToken extends TokenClaims {
  /** Ed25519, 64 bytes. */
  readonly signature: Uint8Array;
}

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

/**
 * The time that `YYYY-MM-DDTHH:MM:SSZ`, or the same with `.mmm`, stands for (RFC 3339 §5.6, UTC alone), milliseconds since 1970-01-01T00:00:00Z; null for another text, and for a day
 * or an hour that does not exist.
 */
export function parseExpirationTime(text: string): number | null {
  if (!UTC_TIME.test(text)) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return null;
  // Some engines carry 30 February over into March.
  const written = new Date(time).toISOString();
  return written === text || written.replace('.000Z', 'Z') === text ? time : null;
}
