import { renameSync, rmSync } from 'node:fs';
import { createPublicFile } from '../../../secure-memory/secret-file.ts';

/**
 * Puts a text in a file in one step, in the place of what is there: whoever reads it finds the old text or the new.
 * @throws KeyFileError when it can't be written, and the error of the system when it can't be put there; what is there stays then, and nothing is left beside it
 */
export function replacePublicFile(file: string, text: string): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  createPublicFile(temporary, Buffer.from(text));
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
