import { SigningClientError } from './client-error.ts';

/** What is wrong with a signature that came. */
export type VerificationReason =
  | 'KEY_CHANGED'
  | 'KEY_NOT_PINNED'
  | 'WRONG_ALGORITHM'
  | 'WRONG_PAYLOAD'
  | 'WRONG_SIGNATURE'
  | 'NOT_VERIFIABLE';

/** What is known of such a signature. */
export interface VerificationFault {
  readonly reason: VerificationReason;
  readonly platformId: string;
  readonly accountId: string;
  readonly message: string;
  readonly pinnedKey?: string;
  readonly receivedKey?: string;
  readonly cause?: unknown;
}

/** A signature came that is not to be used: of another key than the pinned one, over something else than was asked for, wrong, or not to be checked. */
export class VerificationError extends SigningClientError {
  override readonly kind = 'verification';
  readonly reason: VerificationReason;
  readonly platformId: string;
  readonly accountId: string;
  /** The key that `pinnedKeys` has for the account; null where none is pinned. */
  readonly pinnedKey: string | null;
  /** The key that the answer names; null where it names none. */
  readonly receivedKey: string | null;

  constructor(fault: VerificationFault, requestId: string) {
    const { reason, platformId, accountId, message, cause } = fault;
    super(`${platformId}/${accountId}: ${message}`, { requestId, mayHaveBeenDone: true, cause });
    this.reason = reason;
    this.platformId = platformId;
    this.accountId = accountId;
    this.pinnedKey = fault.pinnedKey ?? null;
    this.receivedKey = fault.receivedKey ?? null;
  }
}
