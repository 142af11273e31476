import { realpath } from 'node:fs/promises';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { type CredentialsSnapshot, currentRevision, readCredentialsFile, unreadable } from '../credentials-file.ts';
import type { MasterKeyRing } from '../master-key/master-key-ring.ts';
import { type MasterKeyStore, toLoadError } from '../master-key/master-key-store.ts';
import type { WrittenCredentials } from '../schema/credentials-schema.ts';
import { replaceCredentialsFile } from './replace-credentials-file.ts';

/** The file's text: JSON with two spaces of indent and a final newline. */
export function formatCredentials(written: WrittenCredentials): string {
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** @throws EditRefusedError if the file was modified since it was read */
export async function assertUnchanged(file: string, revision: string): Promise<void> {
  if ((await currentRevision(file)) === revision) return;
  throw new EditRefusedError(
    `${file} was changed by another process at the same time; nothing was changed. Run the command again.`,
  );
}

/** A credentials file edited under a lock, atomically and durably, with its master keys. */
export class EditedCredentials {
  readonly location: string;
  readonly #masterKeys: MasterKeyStore;

  constructor(location: string, masterKeys: MasterKeyStore) {
    this.location = location;
    this.#masterKeys = masterKeys;
  }

  /** @throws CredentialLoadError */
  read(): Promise<CredentialsSnapshot> {
    return readCredentialsFile(this.location);
  }

  /**
   * Writes the result of `change`; false if it is undefined and nothing was written.
   * @throws CredentialLoadError, EditRefusedError
   */
  async edit(change: (reading: CredentialsSnapshot) => WrittenCredentials | undefined): Promise<boolean> {
    const target = await realpath(this.location).catch((error: unknown) => {
      throw unreadable(this.location, error);
    });
    return withFileLock(target, async () => {
      const reading = await this.read();
      const changed = change(reading);
      if (changed === undefined) return false;
      await replaceCredentialsFile(target, formatCredentials(changed), () =>
        assertUnchanged(this.location, reading.revision),
      );
      return true;
    });
  }

  /** The caller closes the ring. @throws CredentialLoadError */
  async openMasterKeys(): Promise<MasterKeyRing> {
    try {
      return await this.#masterKeys.openPrimary();
    } catch (error) {
      throw toLoadError(this.location, error);
    }
  }

  /** Whether the ring's primary key is still current, not rotated. @throws CredentialLoadError */
  isPrimary({ primaryId }: MasterKeyRing): boolean {
    try {
      return this.#masterKeys.primaryId() === primaryId;
    } catch (error) {
      throw toLoadError(this.location, error);
    }
  }
}
