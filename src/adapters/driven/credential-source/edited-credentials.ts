import { realpath } from 'node:fs/promises';
import { type CredentialsReading, readCredentialsFile, unreadable } from './credentials-file.ts';
import type { WrittenCredentials } from './credentials-schema.ts';
import { withFileLock } from './files/file-lock.ts';
import { replaceFile } from './files/replace-file.ts';
import type { MasterKeyKeeper } from './master-key/master-key-keeper.ts';
import { asLoadError } from './master-key/master-key-load-error.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { assertUnchanged, credentialsText } from './write-credentials.ts';

/** A credentials file that is changed under a lock, from what it says then, in one atomic and durable step; and the master keys for what is sealed in it. */
export class EditedCredentials {
  /** Path of the credentials file. */
  readonly location: string;
  readonly #masterKeys: MasterKeyKeeper;

  /** @param masterKeys opens the master key under which new keys are sealed */
  constructor(location: string, masterKeys: MasterKeyKeeper) {
    this.location = location;
    this.#masterKeys = masterKeys;
  }

  /** What the file says now. @throws CredentialLoadError */
  read(): Promise<CredentialsReading> {
    return readCredentialsFile(this.location);
  }

  /** Writes what `change` makes of the file as it is; false when that is undefined, and nothing was written. @throws CredentialLoadError, EditRefusedError */
  async edit(change: (reading: CredentialsReading) => WrittenCredentials | undefined): Promise<boolean> {
    const target = await realpath(this.location).catch((error: unknown) => {
      throw unreadable(this.location, error);
    });
    return withFileLock(target, async () => {
      const reading = await this.read();
      const changed = change(reading);
      if (changed === undefined) return false;
      await replaceFile(target, credentialsText(changed), () => assertUnchanged(this.location, reading.revision));
      return true;
    });
  }

  /** The caller closes it. @throws CredentialLoadError */
  async openMasterKeys(): Promise<MasterKeyRing> {
    try {
      return await this.#masterKeys.openPrimary();
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }

  /** Whether new keys are still sealed under the primary key of the ring: no rotation came between. @throws CredentialLoadError */
  isPrimary({ primaryId }: MasterKeyRing): boolean {
    try {
      return this.#masterKeys.primaryId() === primaryId;
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }
}
