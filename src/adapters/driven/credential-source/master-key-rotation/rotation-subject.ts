import type { MasterKeyFiles } from '../master-key/master-key-pair.ts';

/** What is rotated. */
export interface RotationSubject {
  /** Path of the credentials file. */
  readonly credentialsFile: string;
  readonly files: MasterKeyFiles;
}
