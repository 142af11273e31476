import type { AccessToken } from '../domain/model/access-token.ts';

/** As whom the service speaks to callers. Its key MUST NOT leave the adapter. */
export interface ServiceIdentity {
  /** The service's own token. An adapter MUST give another object, never the same one altered, when it changes. */
  readonly token: AccessToken;

  /** Whether that is this service's public key; an adapter MUST compare in constant time. */
  isOwn(publicKey: Uint8Array): boolean;

  /** The service's Ed25519 signature over `message`, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}
