import type { AccessToken } from './access-token.ts';

/** Milliseconds by which the time in a request may differ from the service's, either way. */
export const TIME_WINDOW_MS = 30_000;

/** What a request says of its caller, in a form that is right; whether it is true is what is asked. */
export interface PresentedClaims {
  readonly token: AccessToken;
  /** Text that no two tokens have in common. */
  readonly tokenName: string;
  /** The bytes that the authority signed. */
  readonly tokenContent: Uint8Array;
  /** When the token ends, milliseconds since 1970-01-01T00:00:00Z. */
  readonly expiresAt: number;
  readonly servicePublicKey: Uint8Array;
  /** When the client made the request, milliseconds since 1970-01-01T00:00:00Z. */
  readonly madeAt: number;
}

/** The same, with what the client signed. */
export interface PresentedRequest extends PresentedClaims {
  readonly nonce: Uint8Array;
  /** The bytes that the client signed, the request itself among them. */
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
}

/** Why a request is not taken for its caller's, in the order in which that is looked at. */
export type AuthenticationFault =
  /** Of the token: no authority that is believed signed it. */
  | 'UNKNOWN_AUTHORITY'
  /** Of the request. */
  | 'INVALID_SIGNATURE'
  | 'WRONG_SERVICE'
  | 'TOKEN_EXPIRED'
  | 'TIME_OUT_OF_WINDOW'
  | 'REPLAYED'
  | 'REPLAY_GUARD_UNAVAILABLE';
