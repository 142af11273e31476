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
  /** The key before it, while a rotation goes on. When it is the primary itself, its accounts are counted there. */
  readonly previous: (MasterKeyFact & { readonly accounts: number }) | null;
  /** Master keys that accounts are sealed under and that can't be read: these accounts can't be loaded. */
  readonly missing: readonly { readonly id: string; readonly accounts: number }[];
  /**
   * Paths of what a command that was killed left, and nothing uses; it may hold copies of master keys. While another command changes the
   * configuration, what that one works on is among them.
   */
  readonly leftovers: readonly string[];
}

/** What a rotation did. */
export interface MasterKeyRotation {
  /** `made` a new master key, or `finished` a rotation that was interrupted after that. */
  readonly outcome: 'made' | 'finished';
  readonly primary: MasterKeyFact;
  readonly previous: MasterKeyFact;
  /** How many accounts were sealed anew. */
  readonly accounts: number;
}

/** What a retirement removed: the previous master key, leftovers, or both. */
export interface MasterKeyRetirement {
  /** The previous master key; null when there was none. */
  readonly retired: MasterKeyFact | null;
  /** Paths of the leftovers of killed commands that were there. */
  readonly leftovers: readonly string[];
}

/**
 * Replaces the master key under which the keys of accounts are sealed.
 *
 * An adapter MUST leave, at every moment and also when it is killed, a configuration that loads, with every account's key; `rotate` after that MUST
 * finish the work. It MUST keep the previous key until `retire`, for replicas that have not reloaded. It MAY ask a person for passphrases.
 * Every call rejects with CredentialLoadError when the configuration is wrong, and with EditRefusedError (`domain/model/errors.ts`) when the call
 * itself can't be done as things are.
 */
export interface MasterKeyAdministration {
  /** Path of the configuration. */
  readonly location: string;

  /** Tells how things are; asks for no passphrase. */
  report(): Promise<MasterKeyReport>;

  /**
   * Makes a new master key and seals every account under it. The new key has a passphrase where the old one has, the same one.
   * @param newPassphrase whether the new key gets a new passphrase
   * @param onProgress called now and then while keys are sealed and checked, with how many of how many steps are done
   */
  rotate(newPassphrase: boolean, onProgress?: (done: number, total: number) => void): Promise<MasterKeyRotation>;

  /**
   * Removes the previous master key when no account is sealed under it, and before it whatever killed commands left. It is refused when there is
   * neither; when something can't be removed, the message says what was and what was not.
   */
  retire(): Promise<MasterKeyRetirement>;
}
