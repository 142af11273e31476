/** Services and tokens that can hold a key which wraps master keys. */
export const WRAPPING_SOURCES = ['vault-transit', 'gcp-kms', 'aws-kms', 'pkcs11', 'helper'] as const;
export type WrappingSource = (typeof WRAPPING_SOURCES)[number];

/** What opens a master key; `file`: nothing but read access to the keyring. */
export type MasterKeySourceName = 'file' | 'passphrase' | WrappingSource;

/** Protection of a new master key. */
export type MasterKeyProtection =
  | { readonly source: 'file' }
  /** A new passphrase, which the operator is asked for. */
  | { readonly source: 'passphrase' }
  /** `wrappingKey`: name of the key in the service, see docs/operators/keys.md. */
  | { readonly source: WrappingSource; readonly wrappingKey: string };

/** A master key without the key itself. */
export interface MasterKeyInfo {
  /** Names the key and reveals nothing of it. */
  readonly id: string;
  readonly hasPassphrase: boolean;
  readonly source: MasterKeySourceName;
}

/** The keyring, and how many accounts are sealed under each master key. */
export interface MasterKeyReport {
  /** Path of the keyring. */
  readonly file: string;
  /** In the ring's order: the first one seals new account keys. */
  readonly keys: readonly (MasterKeyInfo & { readonly accounts: number })[];
  /** Master keys that are not in the ring, whose accounts cannot be loaded. */
  readonly missing: readonly { readonly id: string; readonly accounts: number }[];
}

/** Result of a rotation. */
export interface MasterKeyRotation {
  /** Path of the keyring. */
  readonly file: string;
  /** The created key, the first of the ring. */
  readonly primary: MasterKeyInfo;
  /** The key that was the first. */
  readonly previous: MasterKeyInfo;
  /** Number of resealed accounts. */
  readonly accounts: number;
}

/** What a retirement removed. */
export interface MasterKeyRetirement {
  /** Path of the keyring. */
  readonly file: string;
  readonly retired: readonly MasterKeyInfo[];
}
