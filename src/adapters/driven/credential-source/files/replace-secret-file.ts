import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import { syncFolder } from '../../../../files/sync-folder.ts';
import { systemErrorCode } from '../../../../files/system-error-code.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { createSecretFile, withSecretFile } from '../../../../secure-memory/secret-file.ts';
import { keepOwner } from './keep-owner.ts';

/** Lends the content of a secret file, from locked memory where it is a secret, to `write`. */
export type SecretContent = (write: (bytes: Buffer) => void) => void;

/**
 * Puts a secret file in the place of another, or where none is, in one step: readers see the old content or the new, whole, also after a crash or power
 * failure. It is on disk, read back and compared when this resolves. What a killed process left in `<file>.tmp`, where it is written first, is removed: nothing
 * uses it. The caller holds a lock against others who would do the same.
 *
 * @param file path without symbolic links; something may stand there or not
 * @param model the file whose owner and mode it gets
 * @throws EditRefusedError when it can't be written; what stood there stands then
 */
export async function replaceSecretFile(file: string, model: string, content: SecretContent): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await rm(temporary, { force: true });
    content((bytes) => writeAndReadBack(temporary, bytes));
    await copyAccess(model, temporary);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw asRefusal(file, error);
  }
}

function asRefusal(file: string, error: unknown): unknown {
  if (error instanceof KeyFileError) return new EditRefusedError(`${error.message}.`, { cause: error.cause });
  const code = systemErrorCode(error);
  if (code === 'unknown error') return error;
  return new EditRefusedError(`${file} can't be written (${code}).`, { cause: error });
}

function writeAndReadBack(file: string, bytes: Buffer): void {
  createSecretFile(file, bytes);
  if (withSecretFile(file, bytes.length, (written) => written.equals(bytes))) return;
  throw new KeyFileError(file, 'something else was read back than was written; check the disk');
}

async function copyAccess(model: string, file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await keepOwner(handle, model);
    await handle.chmod((await stat(model)).mode & 0o777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
