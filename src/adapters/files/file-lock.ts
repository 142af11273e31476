import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import fsNative from 'fs-native-extensions';
import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from './system-error-code.ts';

/** 20 to 100 ms apart: 12 to 60 seconds. */
const RETRIES = 600;
const MIN_PAUSE = 20;
const MAX_PAUSE = 100;

const OPEN_OR_CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;

/**
 * Runs `action` under an exclusive lock on `<file>.lock`, across processes. The kernel releases it
 * when the action or its process ends. The file stays: removing it would let two editors lock
 * different files.
 * @param file path of an existing file, without symbolic links
 * @param retries attempts while another process has the lock
 * @throws OperatorError if the lock cannot be acquired
 */
export async function withFileLock<Result>(
  file: string,
  action: () => Promise<Result>,
  retries = RETRIES,
): Promise<Result> {
  const handle = await openLockFile(file);
  try {
    await giveToOwner(handle, file);
    await acquire(handle, file, retries);
    return await action();
  } finally {
    await handle.close();
  }
}

async function openLockFile(file: string): Promise<FileHandle> {
  try {
    return await open(`${file}.lock`, OPEN_OR_CREATE, OWNER_ONLY);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EISDIR' || code === 'ELOOP') throw foreignFileError(file, error);
    throw new OperatorError(
      `${file}.lock cannot be opened (${code}); nothing was changed. To change the file, you need write access to its folder and to the lock file, if it exists.`,
      { cause: error },
    );
  }
}

/** Gives a lock file created by root to the file's owner, who could not open it otherwise. */
async function giveToOwner(handle: FileHandle, file: string): Promise<void> {
  const lock = await handle.stat();
  if (!lock.isFile() || lock.size > 0 || lock.nlink > 1) throw foreignFileError(file);

  const { uid, gid } = await stat(file).catch(() => lock);
  if (uid === lock.uid) return;
  // Only root may; others fail when they read or replace the file.
  await handle.chown(uid, gid).catch(() => undefined);
}

async function acquire(handle: FileHandle, file: string, retries: number): Promise<void> {
  for (let attempt = 0; !tryLock(handle, file); attempt += 1) {
    if (attempt >= retries) {
      throw new OperatorError(
        `Another process is changing ${file} (it holds the lock on ${file}.lock); nothing was changed. Try again when it has finished.`,
      );
    }
    await sleep(MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE));
  }
}

function tryLock(handle: FileHandle, file: string): boolean {
  try {
    return fsNative.tryLock(handle.fd);
  } catch (error) {
    throw new OperatorError(
      `${file}.lock cannot be locked (${systemErrorCode(error)}); nothing was changed. Use a file system that supports locks.`,
      { cause: error },
    );
  }
}

function foreignFileError(file: string, cause?: unknown): OperatorError {
  return new OperatorError(`${file}.lock is not an empty lock file; nothing was changed. Move it to another folder.`, {
    cause,
  });
}
