import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import { withoutFinalNewline } from '../../key-files/secret-text.ts';

const MAX_TOKEN_BYTES = 8192;

/**
 * Copies a token of visible ASCII from a file, for a header. Read for each opening, so that a
 * renewed token is used.
 * @param setting for messages
 * @returns bytes that the caller wipes
 * @throws MasterKeyUnavailableError
 */
export function readTokenFile(setting: string, file: string): Buffer {
  try {
    return withSecretFile(file, MAX_TOKEN_BYTES, (content) => {
      const token = withoutFinalNewline(content);
      if (token.length === 0 || token.some((byte) => byte < 0x21 || byte > 0x7e)) {
        throw new MasterKeyUnavailableError(
          `${setting}: ${file} is not a token of one line; write only the token to it`,
        );
      }
      return Buffer.alloc(token.length).fill(token);
    });
  } catch (error) {
    if (error instanceof KeyFileError)
      throw new MasterKeyUnavailableError(`${setting}: ${error.message}`, { cause: error });
    throw error;
  }
}
