import { inContext } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { withSeedFile } from '../secret-files/seed-file.ts';
import { Ed25519Key } from '../vault/ed25519-key.ts';

/** The key that signs responses only. */
export class ServiceKey extends Ed25519Key {
  /**
   * Reads the key file.
   * @throws OperatorError that names file, setting and remedy
   */
  static open(file: string): ServiceKey {
    try {
      return withSeedFile(file, "the service's response key", (seed) => new ServiceKey(seed));
    } catch (error) {
      const remedy =
        systemErrorCode(error) === 'ENOENT'
          ? 'Run `signing-service token issue --service --expires-in 365d --authority-key-file authority.key`, which creates one and a token for it; or set SIGNING_AUTH_KEY_FILE to its path.'
          : 'Repair it, or set SIGNING_AUTH_KEY_FILE to another file.';
      throw inContext(
        error,
        (message) => `The service's response key (SIGNING_AUTH_KEY_FILE) cannot be read: ${message} ${remedy}`,
      );
    }
  }
}
