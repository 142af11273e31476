import type { Stats } from 'node:fs';
import { OperatorError } from '../../../domain/model/errors.ts';
import { isMissingFile, KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { withSecretFile } from '../../../secure-memory/secret-file.ts';

/** Far more than any of these files has. Bytes. */
export const MAX_TEXT_BYTES = 65_536;

/**
 * The text of a small file that is no secret. It is read as a key file is, so that nothing waits for a pipe and no half-written file is taken.
 * @param what it is, with its setting, for messages: `The access token of this service (SIGNING_AUTH_TOKEN_FILE)`
 * @param remedy what to do where it is missing
 * @param check looks at what may be a secret after all, before it becomes a text, and throws for what is one
 * @throws OperatorError, and what `check` throws
 */
export function readTextFile(
  file: string,
  what: string,
  remedy: string,
  check: (content: Buffer, stats: Stats) => void = () => undefined,
): string {
  try {
    return withSecretFile(file, MAX_TEXT_BYTES, (content, stats) => {
      check(content, stats);
      return content.toString('utf8');
    });
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const advice = isMissingFile(error) ? ` ${remedy}` : '';
    throw new OperatorError(`${what} can not be read: ${error.message}.${advice}`, { cause: error });
  }
}
