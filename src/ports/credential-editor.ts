import type { AccountProfile, AccountStatus, WithAddress } from '../domain/model/account.ts';
import type { KeyLengths } from '../domain/model/key-lengths.ts';
import type { PermissionEntry } from '../domain/model/permission-entry.ts';
import type { Platform } from '../domain/model/platform.ts';
import type { SecretBytes } from '../domain/model/secret-bytes.ts';

/**
 * Ways in which a key file may write a private key; `solana` is the JSON array of numbers that solana-keygen writes. `utf8` and `base64-text` are for
 * HMAC secrets alone: the text itself, and the base64 form of the text (see `domain/model/secret-decoding.ts`).
 */
export const KEY_FILE_FORMATS = [
  'raw',
  'hex',
  'base58',
  'base64',
  'pem',
  'keystore',
  'solana',
  'utf8',
  'base64-text',
] as const;

/** See {@link KEY_FILE_FORMATS}. */
export type KeyFileFormat = (typeof KEY_FILE_FORMATS)[number];

/** Where a new account's private key comes from. */
export type KeyOrigin =
  | { readonly kind: 'generate' }
  | {
      readonly kind: 'file';
      readonly file: string;
      /** Absent: told from the file's content where that is certain. */
      readonly format?: KeyFileFormat;
      /** Password file of an Ethereum V3 keystore. */
      readonly passwordFile?: string;
    };

/** A new account but for what its key decides. */
export type AccountDraft = Omit<AccountProfile, 'publicKey' | 'address'>;

/** One of many new accounts: see {@link CredentialEditor.addAccount} for what each part means. */
export interface AccountAddition {
  readonly draft: AccountDraft;
  readonly origin: KeyOrigin;
  readonly lengths: KeyLengths;
  readonly derivePublicKey: (privateKey: SecretBytes) => string;
}

/** How many accounts are added at once. */
export interface AdditionOptions {
  /** Whether everything is checked, key files and all, and nothing is changed. */
  readonly dryRun: boolean;
  /** Whether an account that is there already is left as it is, and its key not read; otherwise that is a fault. */
  readonly skipExisting: boolean;
  /** Called now and then while keys are read, with how many of them were. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Why one of many accounts can't be added. */
export interface AdditionFault {
  /** Its place among the additions, from 0. */
  readonly index: number;
  /** A field of the draft (`alias`, `values.apiKey`), or of the origin: `file`, `passwordFile`. */
  readonly field: string;
  /** A clause about the field; no value of the draft is in it, and of paths only those that lead to a file. */
  readonly message: string;
}

/** What came of adding many accounts. */
export type AdditionOutcome =
  | {
      readonly outcome: 'refused';
      /** In the order of the additions. */
      readonly faults: readonly AdditionFault[];
    }
  | {
      readonly outcome: 'added' | 'checked';
      /** One for each addition; null for one that was skipped. A key that was only to be generated has no public key yet when nothing was changed. */
      readonly accounts: readonly (AddedAccount | null)[];
    };

/** An account that was added, or would be; its address is left to the service. */
export type AddedAccount = WithAddress<AccountDraft & { readonly publicKey: string | null }>;

/** What the configuration says now, without keys. Null where the operator left a field to the service. */
export interface CredentialListing {
  readonly platforms: readonly Platform[];
  readonly accounts: readonly (Omit<AccountProfile, 'publicKey' | 'address' | 'createdAt'> & {
    readonly publicKey: string | null;
    readonly createdAt: string | null;
  })[];
  /** Null where there is no list. */
  readonly permissions: readonly PermissionEntry[] | null;
}

/** Which accounts get another status: the named one alone, or all that hold its key. */
export type StatusReach = 'account' | 'same-key';

/** What else holds the key of an account whose status was set. */
export interface StatusChange {
  /** The other accounts that hold the same key, with their status after the change. */
  readonly sameKey: readonly Pick<AccountProfile, 'platformId' | 'accountId' | 'algorithm' | 'status'>[];
  /** The accounts that could not be compared, because an entry names no public key. */
  readonly uncompared: readonly Pick<AccountProfile, 'platformId' | 'accountId'>[];
}

/**
 * Changes the credentials configuration for an operator.
 *
 * An adapter MUST make each change whole or not at all, MUST keep what the change is not about as it was, the permissions list included, MUST serialise concurrent editors, and MUST never write a private key in clear.
 * Every call rejects with CredentialLoadError when the configuration as it stands is wrong, and with EditRefusedError (`domain/model/errors.ts`) when
 * the change itself is.
 */
export interface CredentialEditor {
  readonly location: string;

  list(): Promise<CredentialListing>;

  addPlatform(platform: Platform): Promise<void>;

  /**
   * Reads or generates the private key (of a length within `lengths`; one of varying length is never generated), lets `derivePublicKey` check it and name its public key (it is called with other random bytes
   * again while it throws InvalidPrivateKeyError on a generated key), seals it and writes the account.
   */
  addAccount(
    draft: AccountDraft,
    origin: KeyOrigin,
    lengths: KeyLengths,
    derivePublicKey: (privateKey: SecretBytes) => string,
  ): Promise<AccountProfile>;

  /**
   * Adds many accounts in one change, all or none. When anything is wrong with any, everything that is wrong with each is told, and nothing is changed; what
   * `derivePublicKey` throws beside InvalidPrivateKeyError is passed on.
   */
  addAccounts(additions: readonly AccountAddition[], options: AdditionOptions): Promise<AdditionOutcome>;

  /**
   * Sets the status of an account, in one change with the other accounts that hold its key if
   * `reach` is `same-key`. Keys are the same where their public keys or HMAC key ids are equal; an
   * adapter MAY find more of them. An account that holds the key of one found is found, too.
   */
  setStatus(platformId: string, accountId: string, status: AccountStatus, reach?: StatusReach): Promise<StatusChange>;

  /** Removes a disabled account and its key for good; one that may still sign is refused. Entries of the permissions list that name it stay. */
  removeAccount(platformId: string, accountId: string): Promise<void>;
}
