/** Services and tokens that hold a wrapping key; the master key file then has an envelope. */
export const WRAPPING_SOURCES = ['vault-transit', 'gcp-kms', 'aws-kms', 'pkcs11'] as const;
export type WrappingSource = (typeof WRAPPING_SOURCES)[number];

/** What opens a master key file; `file`: nothing but read access. */
export type MasterKeySourceName = 'file' | 'passphrase' | WrappingSource;

/** A new master key's protection, other than a passphrase. */
export type MasterKeyProtection =
  | { readonly source: 'file' }
  /** `wrappingKey`: name of the key in the service, see docs/operators/keys.md. */
  | { readonly source: WrappingSource; readonly wrappingKey: string };

/** A master key without the key itself. */
export interface MasterKeyInfo {
  readonly file: string;
  /** Names the key and reveals nothing of it. */
  readonly id: string;
  readonly hasPassphrase: boolean;
  readonly source: MasterKeySourceName;
}

/** Readable master keys, and how many accounts are sealed under each. */
export interface MasterKeyReport {
  /** The key that seals new accounts. */
  readonly primary: MasterKeyInfo & { readonly accounts: number };
  /**
   * The key before it, during a rotation. If it is the primary itself, its accounts count there.
   */
  readonly previous: (MasterKeyInfo & { readonly accounts: number }) | null;
  /** Unreadable master keys whose accounts cannot be loaded. */
  readonly missing: readonly { readonly id: string; readonly accounts: number }[];
  /**
   * Paths of files that killed commands left; may hold copies of master keys. Includes temporary
   * files of a command in progress.
   */
  readonly leftovers: readonly string[];
}

/** Result of a rotation. */
export interface MasterKeyRotation {
  /** `finished`: completed an interrupted rotation. */
  readonly outcome: 'made' | 'finished';
  readonly primary: MasterKeyInfo;
  readonly previous: MasterKeyInfo;
  readonly accounts: number;
}

/** What a retirement removed. */
export interface MasterKeyRetirement {
  readonly retired: MasterKeyInfo | null;
  readonly leftovers: readonly string[];
}
