/** A master key and where it is; nothing of the key itself. */
export interface MasterKeyFact {
  /** Path of its file. */
  readonly file: string;
  /** Names the key and reveals nothing of it. */
  readonly id: string;
  /** Whether its file has to be opened with a passphrase. */
  readonly hasPassphrase: boolean;
}

/** Which master keys can be read, and how many accounts are sealed under each. */
export interface MasterKeyReport {
  /** The key under which new accounts are sealed. */
  readonly primary: MasterKeyFact & { readonly accounts: number };
  /**
   * The key before it, while a rotation goes on. When it is the primary itself, its accounts are
   * counted there.
   */
  readonly previous: (MasterKeyFact & { readonly accounts: number }) | null;
  /** Unreadable master keys that accounts are sealed under: these accounts can't be loaded. */
  readonly missing: readonly { readonly id: string; readonly accounts: number }[];
  /**
   * Paths of unused files that killed commands left; they may hold copies of master keys. While
   * another command changes the configuration, its temporary files are among them.
   */
  readonly leftovers: readonly string[];
}

/** What a rotation did. */
export interface MasterKeyRotation {
  /** `made` a new master key, or `finished` a rotation that was interrupted after that. */
  readonly outcome: 'made' | 'finished';
  readonly primary: MasterKeyFact;
  readonly previous: MasterKeyFact;
  /** How many accounts were resealed. */
  readonly accounts: number;
}

/** What a retirement removed: the previous master key, leftovers, or both. */
export interface MasterKeyRetirement {
  /** The previous master key; null when there was none. */
  readonly retired: MasterKeyFact | null;
  /** Paths of the leftovers of killed commands that were there. */
  readonly leftovers: readonly string[];
}
