import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import { syncFolder } from '../../../../files/sync-folder.ts';
import { systemErrorCode } from '../../../../files/system-error-code.ts';
import { keepOwner } from './keep-owner.ts';

const OWNER_ONLY = 0o600;
const OWNER_AND_GROUP = 0o660;

/**
 * Replaces a file in one step: readers see the old content or the new, whole, also after a crash or power failure. The new content is on disk
 * when this resolves; the file has the owner, the group and the mode that it had,
 * but for what others could do with it: a service that reads it through its group goes on reading it.
 *
 * The new content is written to `<file>.tmp`; the caller holds a lock against others who would do the same.
 *
 * @param file path of an existing file, without symbolic links
 * @param confirm called when all is written, right before the old content is given up; what it throws is passed on and keeps the old
 * @throws EditRefusedError when it can't be written, or not for its owner; the old content stands then
 */
export async function replaceFile(file: string, content: string, confirm: () => Promise<void>): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await orRefuse(file, () => writeNew(temporary, content, file));
    await confirm();
    await orRefuse(file, () => rename(temporary, file));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

async function orRefuse(file: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof EditRefusedError) throw error;
    throw new EditRefusedError(
      `${file} can't be written (${systemErrorCode(error)}); it is as it was. Check the disk and the permissions of its folder.`,
      { cause: error },
    );
  }
}

async function writeNew(temporary: string, content: string, model: string): Promise<void> {
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', OWNER_ONLY);
  try {
    await keepOwner(handle, model);
    await handle.chmod((await stat(model)).mode & OWNER_AND_GROUP);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
