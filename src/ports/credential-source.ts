import type { AccountStatus } from '../domain/model/account.ts';
import type { Algorithm } from '../domain/model/algorithm.ts';
import type { FixedValues } from '../domain/model/fixed-values.ts';
import type { KeyLengths } from '../domain/model/key-lengths.ts';
import type { PermissionEntry } from '../domain/model/permission-entry.ts';
import type { Platform } from '../domain/model/platform.ts';
import type { RegistryOrigin } from '../domain/model/registry.ts';
import type { SecretBytes } from '../domain/model/secret-bytes.ts';

/** An account as configured. Null where the operator left a field to the service. */
export interface CredentialAccount {
  readonly platformId: string;
  readonly accountId: string;
  readonly alias: string;
  readonly status: AccountStatus;
  readonly environment: string;
  readonly algorithm: Algorithm;
  /** Public key that the key must have; a mismatch is a load error. */
  readonly publicKey: string | null;
  readonly createdAt: string | null;
  /** What its platform's templates take from the configuration; absent: nothing. */
  readonly values?: FixedValues;
  /** Where the account stands in the source, for messages: `accounts[3]`. */
  readonly path: string;
  /**
   * Names the private key without revealing it: the key is the same as long as this, the ids, the algorithm and the public key (where one is given) are. Absent
   * where the source can't tell a key from another without opening it.
   */
  readonly keyRevision?: string;

  /**
   * Lends the private key, of a length within `lengths`, to a synchronous callback.
   * @throws CredentialLoadError when it can't be read, opened or decoded, or has another length.
   */
  withPrivateKey<Result>(lengths: KeyLengths, use: (privateKey: SecretBytes) => Result): Result;
}

/** One consistent reading of the configuration: ids are unique, each account's platform exists and allows its algorithm, permissions are well formed. */
export interface CredentialSet extends RegistryOrigin {
  readonly platforms: readonly Platform[];
  /** Who may do what, in the order of the list; null where there is no list, which is not the same as an empty one: then nobody may do anything. */
  readonly permissions: readonly PermissionEntry[] | null;
  /** In their order, some at a time, so that many don't take one long turn nor all of them memory at once. To be gone through once. */
  readonly accounts: AsyncIterable<readonly CredentialAccount[]>;
  /** Names this very configuration: `sha256:<64 hex>` of the file's bytes, so that `sha256sum` gives the same. */
  readonly digest: string;

  /** Runs synchronous work that opens many keys; an adapter MAY keep what it opens them with accessible until the work ends. Not re-entrant. */
  together<Result>(work: () => Result): Result;

  /**
   * Wipes what the set holds to open keys with; call it when the last key was lent, also after a failure. Afterwards `withPrivateKey`
   * throws CredentialLoadError. Safe to call twice.
   */
  close(): void;
}

/**
 * Where the configuration comes from.
 *
 * An adapter MUST check everything but the keys in `load`, MUST NOT keep private keys, and MUST wipe what it lent.
 */
export interface CredentialSource {
  /** Path of the configuration, as shown in the status report. */
  readonly location: string;

  /** The first load MAY ask a person for a passphrase and wait; later ones MUST NOT. @throws CredentialLoadError that names every fault it found. */
  load(): Promise<CredentialSet>;

  /** Paths of the files that the configuration in force, or the latest that could be read, consists of; `location` is the first. For whoever watches them. */
  readonly files: readonly string[];

  /** From now on `listener` is called at each load, when `files` are known and before the first key is opened: what happens to one of them later is a change. */
  onFiles(listener: () => void): void;

  /** `digest` of the configuration as it stands now; null when it can't be read. */
  digest(): Promise<string | null>;

  /** Wipes what it keeps between loads to open keys with, for the end of the process. Sets that are open are closed by themselves. Safe to call twice. */
  purge(): void;
}
