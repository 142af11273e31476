/**
 * Folders of a backup. Private keys are saved in folders of their own, if at all: with the
 * credentials, the master key file opens everything.
 */
export interface BackupFolders {
  readonly installation: string;
  readonly masterKey?: string;
  readonly auditKey?: string;
}

/** What a folder of a backup holds. */
export type BackupKind = keyof BackupFolders;

/** A file that is not in a backup, or was not restored from one. */
export interface LeftOutFile {
  /** Name of its setting; null: the credentials file names it. */
  readonly setting: string | null;
  /** Path where the installation has it. */
  readonly path: string;
  /** Why, and what to do: sentences. */
  readonly reason: string;
}

/** A file of an installation and its copy. */
export interface SavedFile {
  readonly purpose: string;
  /** Path where the installation has it. */
  readonly path: string;
  /** Path in the backup. */
  readonly copy: string;
}

/** Master key under which accounts are sealed. */
export interface NeededMasterKey {
  readonly id: string;
  /** Number of accounts. */
  readonly accounts: number;
}

/** Result of a backup. */
export interface BackupReport {
  readonly files: readonly SavedFile[];
  readonly leftOut: readonly LeftOutFile[];
  /** The credentials cannot be used without these. */
  readonly masterKeys: readonly NeededMasterKey[];
  /** Number of accounts whose key is in the backup in plaintext. */
  readonly plaintextKeys: number;
}

/** Result of a restore. */
export interface RestoreReport {
  /** When the backup was made, ISO 8601 UTC. */
  readonly time: string;
  /** Version of the service that made it. */
  readonly serviceVersion: string;
  readonly files: readonly SavedFile[];
  /** To be put in place by hand. */
  readonly leftOut: readonly LeftOutFile[];
  /** Explicit settings of the backup that are absent or different, `NAME=value`. */
  readonly settings: readonly string[];
  /** Master keys of the credentials that the master key file lacks. */
  readonly missingMasterKeys: readonly NeededMasterKey[];
  /** Path of the state, or address of Redis, from which budgets go on; null: from zero. */
  readonly budgets: string | null;
}
