import type { SecretBytes, SecretDecoding } from '../domain/model/account.ts';
import type { ConfiguredAccount, KeySource } from '../domain/model/configured-account.ts';
import type { KeyFileFormat, KeyFileReference } from '../domain/model/key-source.ts';
import type { FixedValues } from '../domain/model/payload.ts';
import type { PermissionEntry } from '../domain/model/permissions.ts';
import type { Platform } from '../domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../domain/model/policy.ts';
import type { KeyIdentity } from './key-store.ts';

/** Where the private key of an account is. */
export type KeyLocation =
  | {
      readonly kind: 'sealed';
      /** ID of the master key that it is sealed under, 16 hex digits. */
      readonly masterKeyId: string;
    }
  /** `file`: an absolute path. */
  | (KeyFileReference & { readonly kind: 'file' })
  | { readonly kind: 'plaintext' };

/** An account of the configuration, without its key. */
export type ListedAccount = Omit<ConfiguredAccount, 'key'> & { readonly key: KeyLocation };

/** The configuration without keys. */
export interface CredentialListing {
  readonly platforms: readonly Platform[];
  readonly accounts: readonly ListedAccount[];
  /** Null without a list. */
  readonly permissions: readonly PermissionEntry[] | null;
  /** In list order; their conditions are not compiled. */
  readonly policies: readonly PolicyEntry[];
  /** In list order; their sums are not compiled. */
  readonly budgets: readonly BudgetEntry[];
}

/** A platform as it is written: what is absent has its default. */
export type WrittenPlatform = Pick<Platform, 'platformId' | 'format'> & Partial<Platform>;

/** An account as it is written: what is absent or undefined has its default. */
export type WrittenAccount = Pick<ConfiguredAccount, 'platformId' | 'accountId' | 'algorithm' | 'key'> & {
  readonly [Field in keyof ConfiguredAccount]?: Exclude<ConfiguredAccount[Field], null> | undefined;
};

/** The configuration as it is written, with the accounts in the order of the listing. */
export interface WrittenEntries {
  readonly platforms: readonly WrittenPlatform[];
  readonly accounts: readonly WrittenAccount[];
  readonly permissions?: readonly PermissionEntry[] | undefined;
  readonly policies?: readonly PolicyEntry[] | undefined;
  readonly budgets?: readonly BudgetEntry[] | undefined;
}

/** Source of a private key. */
export interface KeyOrigin {
  /** Absent: a new random key. */
  readonly keyFile?: string | undefined;
  /** As {@link KeyFileReference.format}. */
  readonly keyFormat?: KeyFileFormat | undefined;
  /** File with the password of a keystore or an encrypted PEM key. */
  readonly passwordFile?: string | undefined;
  /** BIP-32 path of a mnemonic's key. */
  readonly derivationPath?: string | undefined;
  /**
   * File with the passphrase of an API key, one line of visible ASCII. Its MAC with the key
   * becomes the account's fixed value `passphrase`.
   */
  readonly passphraseFile?: string | undefined;
}

/** The MAC of a passphrase with the private key, in the encoding of the platform. */
export type SignPassphrase = (privateKey: SecretBytes, passphrase: SecretBytes) => string;

/** A private key to make for an account. */
export interface KeyRequest {
  readonly account: KeyIdentity;
  readonly origin: KeyOrigin;
  /** The platform's encoding of HMAC secrets. */
  readonly secretDecoding: SecretDecoding;
  /** @throws InvalidPrivateKeyError */
  readonly derivePublicKey: (privateKey: SecretBytes) => string;
  /** Present for an origin with a passphrase file. */
  readonly signPassphrase?: SignPassphrase | undefined;
}

/** Options of {@link EditTools.makeKeys}. */
export interface KeyMaking {
  /** False checks the keys of files, and neither generates one nor opens the master key. */
  readonly seal: boolean;
  /** Called now and then with the number of keys made. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What an account gets of its new key. */
export interface NewKey {
  /** Undefined for a key that was not generated. */
  readonly publicKey: string | undefined;
  /** Undefined if it was not sealed. */
  readonly key: KeySource | undefined;
  /** Fixed values that follow from it: the MAC of a passphrase. */
  readonly values: FixedValues;
}

/** Why an account cannot be written, or its key not be made. */
export interface FieldIssue {
  /** Field of the account (`alias`, `values.apiKey`) or of its {@link KeyOrigin}. */
  readonly field: string;
  /** A clause about the field, without values, and with paths only of existing files. */
  readonly message: string;
}

/** What an edit may ask the editor for. */
export interface EditTools {
  /**
   * What a load of these entries would say of their accounts, without keys.
   * @returns issues with the index of the account
   */
  findIssues(entries: WrittenEntries): readonly (FieldIssue & { readonly index: number })[];

  /**
   * Reads or generates each private key (never one of varying length), checks it and gets its
   * public key with `derivePublicKey` (repeated with new random bytes while that throws
   * InvalidPrivateKeyError for a generated key), and seals it. A passphrase is read into locked
   * memory, passed to `signPassphrase` and wiped.
   * @returns a key or an issue for each request
   */
  makeKeys(requests: readonly KeyRequest[], making: KeyMaking): Promise<readonly (NewKey | FieldIssue)[]>;
}

/** A change of the configuration; throws to refuse. */
export type Edit = (
  written: WrittenEntries,
  before: CredentialListing,
  tools: EditTools,
) => WrittenEntries | Promise<WrittenEntries>;

/** The configuration that was changed, and the one that results. */
export interface Edited {
  readonly before: CredentialListing;
  readonly after: CredentialListing;
}

/** Options of {@link CredentialEditor.edit}. */
export interface EditOptions {
  /** Judges the configuration that results; throws to refuse. */
  readonly check?: (after: CredentialListing) => Promise<void>;
  /** Does everything but write. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Changes the credentials configuration for an operator.
 *
 * An adapter MUST make each change atomic, MUST keep everything else unchanged, MUST serialise
 * concurrent editors, and MUST never write a private key in clear. Calls reject with
 * CredentialLoadError for an invalid configuration, and with OperatorError for an invalid change.
 */
export interface CredentialEditor {
  readonly location: string;

  list(): Promise<CredentialListing>;

  /**
   * Changes entries.
   * @param change gets them as they are written, and the configuration. Entries that it returns as
   * they were keep their text; nothing is written if all are. Called again if another editor
   * changes them meanwhile
   */
  edit(change: Edit, options?: EditOptions): Promise<Edited>;
}
