import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { OperatorError } from '../../../domain/model/errors.ts';
import { unreadable } from './input-error.ts';
import { shownPath } from './shown-path.ts';

/**
 * Reads a whole text file (UTF-8) of at most `limit` bytes; a pipe is not waited for.
 * @param what names the kind of file in errors
 * @param advice what to do about a longer one, behind a colon
 * @throws OperatorError when it can't be read, is no regular file or is longer
 */
export async function readSmallText(what: string, path: string, limit: number, advice = ''): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new OperatorError(`The ${what} ${shownPath(path)} is no regular file.`);
      const bytes = Buffer.alloc(limit + 1);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      if (bytesRead <= limit) return bytes.toString('utf8', 0, bytesRead);
      throw new OperatorError(`The ${what} ${shownPath(path)} is longer than ${limit} bytes${advice}.`);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof OperatorError ? error : unreadable(what, path, error);
  }
}
