import type { GivenText } from './given-text.ts';

/** How a client proves who it is, and knows the service (docs/AUTHENTICATION.md). */
export interface AuthenticationOptions {
  /** The client's Ed25519 key: 64 hex digits, or PKCS#8 in PEM. */
  readonly privateKey: GivenText;
  /** The client's access token, base64. */
  readonly token: GivenText;
  /** The service's public key, base58 or 64 hex digits. */
  readonly serviceKey: string;
  /** Public keys of the authorities that are believed, base58 or 64 hex digits. */
  readonly authorityKeys: readonly string[];
}
