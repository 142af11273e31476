import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { assertPrivate, KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import { withoutFinalNewline } from '../../key-files/secret-text.ts';

const MAX_TOKEN_BYTES = 8192;

/**
 * Copies a token of visible ASCII from a file, for a header. Read for each opening, so that a
 * renewed token is used.
 * @param setting for messages
 * @param writer the kubelet may write the tokens of a pod with mode 0644; only the pod has them.
 * https://kubernetes.io/docs/concepts/storage/projected-volumes/#securitycontext-interactions
 * @returns bytes that the caller wipes
 * @throws MasterKeyUnavailableError, also for another file that other users can read
 */
export function readTokenFile(setting: string, file: string, writer?: 'kubelet'): Buffer {
  try {
    return withSecretFile(file, MAX_TOKEN_BYTES, (content, stats) => {
      if (writer !== 'kubelet') assertPrivate(file, stats, 'the token');
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
