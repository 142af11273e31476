import type { SecretBytes } from '../domain/model/account.ts';
import type { ConfiguredAccount } from '../domain/model/configured-account.ts';
import type { PermissionEntry } from '../domain/model/permissions.ts';
import type { Platform } from '../domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../domain/model/policy.ts';
import type { RegistryOrigin } from '../domain/model/registry.ts';

/** An account of the configuration that is being loaded. */
export interface CredentialAccount {
  readonly account: ConfiguredAccount;
  /** Path in the configuration, for messages: `accounts[3]`. */
  readonly path: string;
  /**
   * Names the private key without revealing it: an equal revision with equal ids, algorithm and
   * public key means the same key. Undefined where the source cannot tell without opening it.
   */
  readonly keyRevision: string | undefined;
}

/**
 * One consistent load of the configuration: unique ids, each account's platform exists and allows
 * its algorithm, valid permissions.
 */
export interface CredentialSet extends RegistryOrigin {
  readonly platforms: readonly Platform[];
  /** In list order; null without a list. An empty list permits nothing. */
  readonly permissions: readonly PermissionEntry[] | null;
  /** In list order; their conditions are not compiled yet. */
  readonly policies: readonly PolicyEntry[];
  /** In list order; their sums are not compiled yet. */
  readonly budgets: readonly BudgetEntry[];
  /** In order and in groups, to bound time and memory. Iterate once. */
  readonly accounts: AsyncIterable<readonly CredentialAccount[]>;
  /** `sha256:<64 hex>` of the file's bytes, as `sha256sum` prints. */
  readonly digest: string;

  /**
   * Makes the private keys of these accounts available to {@link withPrivateKey}, until the next
   * call: keys in files of other tools are decoded by another process. What is wrong with one of
   * them is thrown when it is used.
   * @throws OperatorError if none can be decoded
   */
  prepareKeys(accounts: readonly CredentialAccount[]): Promise<void>;

  /**
   * Passes the prepared private key of an account to a synchronous callback.
   * @throws CredentialLoadError when it cannot be read, opened or decoded, or has a length that its
   * algorithm does not take
   */
  withPrivateKey<Result>(account: CredentialAccount, use: (privateKey: SecretBytes) => Result): Result;

  /**
   * Runs synchronous work that opens many keys; an adapter MAY keep what opens them accessible
   * until it ends. Not re-entrant.
   */
  together<Result>(work: () => Result): Result;

  /**
   * Wipes what opens keys; call it after the last key, also after a failure. `withPrivateKey`
   * throws CredentialLoadError afterwards. Idempotent.
   */
  close(): void;
}

/**
 * Source of the configuration.
 *
 * An adapter MUST check everything but the keys in `load`, MUST NOT keep private keys, and MUST
 * wipe them after use.
 */
export interface CredentialSource {
  /** Path of the configuration, as in the status report. */
  readonly location: string;

  /**
   * The first load MAY prompt for a passphrase; later ones MUST NOT.
   * @throws CredentialLoadError with all issues; OperatorError if a master key cannot be opened
   */
  load(): Promise<CredentialSet>;

  /** Files of the configuration in force or last read, to watch; `location` is the first. */
  readonly files: readonly string[];

  /**
   * Calls `listener` on each load when `files` are known, before the first key is opened: later
   * changes of a file count as changes.
   */
  onFiles(listener: () => void): void;

  /** `digest` of the current configuration; null if unreadable. */
  digest(): Promise<string | null>;
}
