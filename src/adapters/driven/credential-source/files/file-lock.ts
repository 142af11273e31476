import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import fsNative from 'fs-native-extensions';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import { systemErrorCode } from '../../../../files/system-error-code.ts';

/** 20 to 100 milliseconds apart: 12 to 60 seconds. */
const RETRIES = 600;
const MIN_PAUSE = 20;
const MAX_PAUSE = 100;

const OPEN_OR_MAKE = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;

/**
 * Runs `action` while no other editor holds the lock on `<file>.lock`, in this process or another; waits for its turn.
 *
 * The lock is the kernel's: it is free again when the action has ended, or its process, however that came. The lock file is empty and stays
 * behind, because removing it would let one editor lock the removed file while another locks a new one.
 *
 * @param file path of an existing file, without symbolic links
 * @param retries how often to try again while another holds the lock
 * @throws EditRefusedError when the lock can't be had
 */
export async function withFileLock<Result>(
  file: string,
  action: () => Promise<Result>,
  retries = RETRIES,
): Promise<Result> {
  const handle = await openLockFile(file);
  try {
    await keepUsable(handle, file);
    await acquire(handle, file, retries);
    return await action();
  } finally {
    await handle.close();
  }
}

async function openLockFile(file: string): Promise<FileHandle> {
  try {
    return await open(`${file}.lock`, OPEN_OR_MAKE, OWNER_ONLY);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EISDIR' || code === 'ELOOP') throw foreign(file, error);
    throw new EditRefusedError(
      `${file}.lock can't be opened (${code}); nothing was changed. Changing the file needs write permission on its folder, and on its lock file where there is one.`,
      { cause: error },
    );
  }
}

/** Gives a lock file that root made to the owner of the file, whom it would shut out from then on. */
async function keepUsable(handle: FileHandle, file: string): Promise<void> {
  const lock = await handle.stat();
  if (!lock.isFile() || lock.size > 0 || lock.nlink > 1) throw foreign(file);

  const { uid, gid } = await stat(file).catch(() => lock);
  if (uid === lock.uid) return;
  // Only root may. What anyone else tries on a file of another owner is refused when it is read or replaced.
  await handle.chown(uid, gid).catch(() => undefined);
}

async function acquire(handle: FileHandle, file: string, retries: number): Promise<void> {
  for (let attempt = 0; !tryLock(handle, file); attempt += 1) {
    if (attempt >= retries) {
      throw new EditRefusedError(
        `${file} is being changed by another process, which holds the lock on ${file}.lock; nothing was changed. Try again when it is done.`,
      );
    }
    await sleep(MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE));
  }
}

function tryLock(handle: FileHandle, file: string): boolean {
  try {
    return fsNative.tryLock(handle.fd);
  } catch (error) {
    throw new EditRefusedError(
      `${file}.lock can't be locked (${systemErrorCode(error)}); nothing was changed. Keep the file on a file system that has locks.`,
      { cause: error },
    );
  }
}

function foreign(file: string, cause?: unknown): EditRefusedError {
  return new EditRefusedError(
    `${file}.lock is something else than the empty file that serves as lock; nothing was changed. Move it away.`,
    { cause },
  );
}
