import type { AccountProfile, AccountStatus } from '../domain/model/account.ts';
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
export type AccountDraft = Omit<AccountProfile, 'publicKey'>;

/** What the configuration says now, without keys. Null where the operator left a field to the service. */
export interface CredentialListing {
  readonly platforms: readonly Platform[];
  readonly accounts: readonly (Omit<AccountProfile, 'publicKey' | 'createdAt'> & {
    readonly publicKey: string | null;
    readonly createdAt: string | null;
  })[];
  /** Null where there is no list. */
  readonly permissions: readonly PermissionEntry[] | null;
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

  setStatus(platformId: string, accountId: string, status: AccountStatus): Promise<void>;
}
