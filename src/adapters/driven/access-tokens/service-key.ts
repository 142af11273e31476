import { OperatorError } from '../../../domain/model/errors.ts';
import { Ed25519Key } from '../../../secure-memory/ed25519-key.ts';
import { isMissingFile, KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { withSeedFile } from '../../../secure-memory/seed-file.ts';

/** The key that answers are signed with, and nothing else. */
export class ServiceKey extends Ed25519Key {
  /**
   * Reads the key from its file.
   * @throws OperatorError that names the file, SIGNING_AUTH_KEY_FILE and what to do
   * @throws MemoryLockError when memory for it can't be locked
   */
  static open(file: string): ServiceKey {
    try {
      return withSeedFile(file, "the service's key for answers", (seed) => new ServiceKey(seed));
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      const remedy = isMissingFile(error)
        ? 'Run `signing-service token issue --service`, which makes one and a token for it; or set SIGNING_AUTH_KEY_FILE to where it is.'
        : 'Mend it, or set SIGNING_AUTH_KEY_FILE to another.';
      throw new OperatorError(
        `The service's key for answers (SIGNING_AUTH_KEY_FILE) can not be read: ${error.message}. ${remedy}`,
        { cause: error },
      );
    }
  }
}
