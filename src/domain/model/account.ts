import type { Algorithm } from './algorithm.ts';
import type { FixedValues } from './fixed-values.ts';
import type { KeyHandle } from './key-handle.ts';

/** `active` accounts sign; `disabled` ones are refused with ACCOUNT_INACTIVE. */
export const ACCOUNT_STATUSES = ['active', 'disabled'] as const;

/** See {@link ACCOUNT_STATUSES}. */
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** What may be known of an account: everything but its key. */
export interface AccountProfile {
  /** Unique within its platform. */
  readonly accountId: string;
  readonly platformId: string;
  readonly alias: string;
  readonly status: AccountStatus;
  /** A slug, `^[a-z][a-z0-9-]{0,31}$`. */
  readonly environment: string;
  readonly algorithm: Algorithm;
  /** Text form, as the algorithm's Signer writes it. */
  readonly publicKey: string;
  /**
   * Ethereum address of the public key, with the checksum of EIP-55; absent where the algorithm has
   * none.
   */
  readonly address?: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  /** What its platform's templates take from the configuration; absent: nothing. */
  readonly values?: FixedValues;
}

/**
 * An account with the address by which contracts and venues know it; null where its public key is
 * not known, absent where its algorithm has none.
 */
export type WithAddress<Listed> = Listed & { readonly address?: string | null };

/** An account that this service can sign for. */
export interface Account extends AccountProfile {
  readonly key: KeyHandle;
  /** The key as its source names it: an account for which the next load names the same keeps the key that was opened and tested before. Absent: it has to be opened anew. */
  readonly keyRevision?: string;
}
