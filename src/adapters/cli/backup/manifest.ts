import { z } from 'zod';

/**
 * Folders of a backup. Private keys are saved in folders of their own, if at all: with the
 * credentials, the master key file opens everything.
 */
export interface BackupFolders {
  readonly installation: string;
  readonly masterKey?: string | undefined;
  readonly auditKey?: string | undefined;
}

/** What a folder of a backup has. */
export type BackupPart = keyof BackupFolders;

/** What is in a folder of a backup and what is not; written last. */
export const manifestSchema = z.object({
  format: z.literal(1),
  serviceVersion: z.string(),
  /** ISO 8601 UTC. */
  time: z.string(),
  files: z.array(
    z.object({
      /** In the folder: no path. */
      name: z.string().regex(/^[\w.-]+$/),
      purpose: z.string(),
      /** Where the installation has it. */
      path: z.string(),
      bytes: z.number(),
      /** `sha256:<64 hex>`. */
      sha256: z.string(),
    }),
  ),
  leftOut: z.array(
    z.object({
      /** Null: the credentials file names it. */
      setting: z.string().nullable(),
      /** Where the installation has it. */
      path: z.string(),
      /** Why, and what to do: sentences. */
      reason: z.string(),
    }),
  ),
});

/** See {@link manifestSchema}. */
export type Manifest = z.output<typeof manifestSchema>;

/** A file that is not in a backup, or was not restored from one. */
export type LeftOutFile = Manifest['leftOut'][number];

/** A file of an installation and the path of its copy in a backup. */
export type SavedFile = Manifest['files'][number] & { readonly copy: string };

/** Master keys, and the numbers of accounts that are sealed under them. */
type MasterKeys = readonly { readonly id: string; readonly accounts: number }[];

/** Result of a backup. */
export interface BackupReport {
  readonly files: readonly SavedFile[];
  readonly leftOut: readonly LeftOutFile[];
  /** The credentials cannot be used without these. */
  readonly masterKeys: MasterKeys;
  readonly cautions: readonly string[];
}

/** Result of a restore: of which backup, and what is to be done by hand. */
export interface RestoreReport extends Pick<Manifest, 'time' | 'serviceVersion' | 'leftOut'> {
  readonly files: readonly SavedFile[];
  /** Explicit settings of the backup that are absent or different, `NAME=value`. */
  readonly settings: readonly string[];
  /** Of the credentials, but not in the master key file. */
  readonly missingMasterKeys: MasterKeys;
  /** Path of the state, or address of Redis, from which budgets go on; null: from zero. */
  readonly budgets: string | null;
}
