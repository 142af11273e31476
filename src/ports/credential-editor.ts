import type { AccountIds, AccountProfile, AccountStatus, SecretBytes, WithAddress } from '../domain/model/account.ts';
import type { ConfiguredAccount } from '../domain/model/configured-account.ts';
import type { KeyFileReference } from '../domain/model/key-source.ts';
import type { FixedValues } from '../domain/model/payload.ts';
import type { PermissionEntry } from '../domain/model/permissions.ts';
import type { Platform } from '../domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../domain/model/policy.ts';

/** Source of a new account's private key. */
export type KeyOrigin =
  | { readonly kind: 'generate' }
  | (KeyFileReference & {
      readonly kind: 'file';
      /**
       * File with the passphrase of an API key, one line of visible ASCII. Its MAC with the key
       * becomes the account's fixed value `passphrase`.
       */
      readonly passphraseFile?: string | undefined;
    });

/** A new account without what follows from its key. */
export type AccountDraft = Omit<AccountProfile, 'publicKey' | 'address'>;

/** The MAC of a passphrase with the private key, in the encoding of the platform. */
export type SignPassphrase = (privateKey: SecretBytes, passphrase: SecretBytes) => string;

/** What an editor needs to check and use a private key. */
export interface KeyTools {
  /** @throws InvalidPrivateKeyError */
  readonly derivePublicKey: (privateKey: SecretBytes) => string;
  /** Present for an origin with a passphrase file. */
  readonly signPassphrase?: SignPassphrase;
}

/** A new account. */
export interface AccountAddition extends KeyTools {
  readonly draft: AccountDraft;
  readonly origin: KeyOrigin;
}

/** What one request adds to the configuration as it is. */
export interface PlannedAddition {
  /** Null: nothing. */
  readonly addition: AccountAddition | null;
  /** Refuses all additions, together with what the editor finds. */
  readonly issue?: KeyIssue | undefined;
}

/** Options of {@link CredentialEditor.addAccounts}. */
export interface AdditionOptions {
  /** Checks everything, key files included, without a change. */
  readonly dryRun: boolean;
  /** Called now and then with the number of keys read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Why an account cannot be added. */
export interface AdditionIssue {
  /** Index of the planned addition, from 0. */
  readonly index: number;
  /**
   * Field of the draft (`alias`, `values.apiKey`), or `keyFile`, `passwordFile`, `passphraseFile`.
   */
  readonly field: string;
  /**
   * A clause about the field, without values of the draft, and with paths only of existing files.
   */
  readonly message: string;
}

/** Why a key cannot be read or made. */
export type KeyIssue = Omit<AdditionIssue, 'index'>;

/** Result of adding accounts. */
export type AdditionOutcome =
  | {
      readonly outcome: 'refused';
      /** In the order of the additions. */
      readonly issues: readonly AdditionIssue[];
    }
  | {
      readonly outcome: 'added' | 'checked';
      /**
       * One for each planned addition; null if it adds nothing. Generated keys have no public key
       * in a dry run.
       */
      readonly accounts: readonly (AddedAccount | null)[];
    };

/** An added account; the service adds the address. */
export type AddedAccount = WithAddress<AccountDraft & { readonly publicKey: string | null }>;

/** Where the private key of an account is. */
export type KeyLocation =
  | {
      readonly kind: 'sealed';
      /** ID of the master key that it is sealed under, 16 hex digits. */
      readonly masterKeyId: string;
    }
  /** As configured: relative paths start at the folder of the configuration. */
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

/** The configuration without accounts, as it is written. */
export interface WrittenEntries {
  readonly platforms: readonly WrittenPlatform[];
  readonly permissions?: readonly PermissionEntry[] | undefined;
  readonly policies?: readonly PolicyEntry[] | undefined;
  readonly budgets?: readonly BudgetEntry[] | undefined;
}

/** A new key for an existing account; everything that it does not name stays. */
export interface KeyReplacement extends KeyTools {
  readonly origin: KeyOrigin;
  /** Fixed values to set; others stay. */
  readonly values: FixedValues;
  /**
   * How long a service keeps the previous key after it loaded the new one, seconds, 0 to
   * `MAX_OVERLAP_SECONDS`.
   */
  readonly overlapSeconds: number;
}

/** Decides by an account as it is, and its platform. */
export type AccountPlan<Decision> = (account: ListedAccount, platform: Platform | undefined) => Decision;

/** Changes of an account's own fields; absent fields stay. */
export interface AccountEdit {
  readonly alias?: string | undefined;
  readonly environment?: string | undefined;
  /** Fixed values to set; others stay. */
  readonly values: FixedValues;
  /** Names of fixed values to remove; each must exist. */
  readonly removedValues: readonly string[];
}

/** An account before and after a change. */
export interface AccountChange {
  readonly before: ListedAccount;
  /** A dry run cannot predict the public key of a generated key: null. */
  readonly account: ListedAccount;
}

/** Which accounts get the new status: the named one, or all with its key. */
export type StatusScope = 'account' | 'same-key';

/** Other accounts with the key of an account whose status changed. */
export interface StatusChange {
  /** With their status after the change. */
  readonly sameKey: readonly Pick<AccountProfile, 'platformId' | 'accountId' | 'algorithm' | 'status'>[];
  /** Other accounts that may have the key as well. */
  readonly uncompared: readonly UncomparedAccount[];
}

/** An account whose key could not be compared. */
export interface UncomparedAccount extends Pick<AccountProfile, 'platformId' | 'accountId'> {
  /**
   * `no-public-key`: it or the changed account has none. `other-hmac`, only with `same-key`: it is
   * for another HMAC algorithm, for which a secret has another id.
   */
  readonly reason: 'no-public-key' | 'other-hmac';
}

/**
 * Changes the credentials configuration for an operator.
 *
 * An adapter MUST make each change atomic, MUST keep everything else unchanged, permissions and
 * policies included, MUST serialise concurrent editors, and MUST never write a private key in
 * clear. Calls reject with CredentialLoadError for an invalid configuration, and with
 * OperatorError for an invalid change.
 */
export interface CredentialEditor {
  readonly location: string;

  list(): Promise<CredentialListing>;

  /**
   * Changes platforms, permissions, policies or budgets.
   * @param change gets them as they are written, and the configuration; throws to refuse. Entries
   * that it returns as they were keep their text. Called again if another editor changes them
   * meanwhile
   * @param check judges the configuration that results; throws to refuse
   * @returns the configuration that results
   */
  editEntries(
    change: (written: WrittenEntries, before: CredentialListing) => WrittenEntries,
    check?: (after: CredentialListing) => Promise<void>,
  ): Promise<CredentialListing>;

  /**
   * Adds accounts in one change, all or none. `plan` gets the configuration that is changed; it is
   * called again if another editor changes it meanwhile. Reads or generates each private key (never
   * one of varying length), checks it and gets its public key with `derivePublicKey` (repeated with
   * new random bytes while that throws InvalidPrivateKeyError for a generated key), and seals it. A
   * passphrase is read into locked memory, passed to `signPassphrase` and wiped. Reports every
   * issue of every account, then changes nothing.
   */
  addAccounts(
    plan: (listing: CredentialListing) => Promise<readonly PlannedAddition[]>,
    options: AdditionOptions,
  ): Promise<AdditionOutcome>;

  /**
   * Changes label, environment and fixed values of an account; its key is not opened.
   * @param check throws to refuse the change
   */
  editAccount(ids: AccountIds, edit: AccountEdit, check: AccountPlan<void>): Promise<AccountChange>;

  /**
   * Replaces the key of an account, read or generated and checked as by {@link addAccounts}, and
   * some of its fixed values, in one change. Refuses the key that the account has already, unless
   * values change.
   * @param dryRun checks everything, key files included, without a change
   */
  replaceKey(
    ids: AccountIds,
    plan: AccountPlan<Promise<KeyReplacement>>,
    dryRun: boolean,
  ): Promise<AccountChange | KeyIssue>;

  /**
   * Sets the status of an account; with `same-key` also of all accounts with its key, in one
   * change. Keys are equal if their public keys or HMAC key ids are; an adapter MAY find more, and
   * follows found accounts transitively.
   */
  setStatus(platformId: string, accountId: string, status: AccountStatus, reach?: StatusScope): Promise<StatusChange>;

  /**
   * Removes a disabled account and its key permanently; an active one is refused. Permission
   * entries that name it stay.
   */
  removeAccount(platformId: string, accountId: string): Promise<void>;
}
