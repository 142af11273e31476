import {
  closeSync,
  promises as fs,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/model/errors.ts';
import { adviseOnCreating, adviseOnReading, fileError } from './file-advice.ts';
import { syncFolder, syncFolderSync } from './folders.ts';
import { isSystemError, systemErrorCode } from './system-error-code.ts';

const OWNER_ONLY = 0o600;
const WORLD_READABLE = 0o644;

export interface Replacement {
  /**
   * Writes the new content. Secrets are written from locked memory by {@link writeAllSync}.
   * @param temporary path of the new file
   */
  readonly write: (handle: fs.FileHandle, temporary: string) => void | Promise<void>;
  /** File to take owner, group and these mode bits from; default: this user, mode 0600. */
  readonly access?: { readonly of: string; readonly mode: number };
  /** Called when the new content is durable; throwing keeps the old file. */
  readonly beforeRename?: (temporary: string) => Promise<void>;
}

/**
 * Atomically replaces or creates a file, durable when resolved. Written to `<file>.tmp` first,
 * where leftovers are removed. The caller excludes concurrent replacements.
 * @param file path without symbolic links
 * @throws OperatorError, the file is unchanged unless only syncing the folder failed; other errors
 * of `write` and `beforeRename`
 */
export async function replaceFile(file: string, { write, access, beforeRename }: Replacement): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await explainSystemError(file, async () => {
      await fs.rm(temporary, { force: true });
      const handle = await fs.open(temporary, 'wx', OWNER_ONLY);
      try {
        if (access !== undefined) await copyAccess(file, handle, access);
        await write(handle, temporary);
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    await beforeRename?.(temporary);
    await explainSystemError(file, () => fs.rename(temporary, file));
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file)).catch((error: unknown) => {
    throw fileError(
      file,
      `it was written, but may be lost in a power failure (${systemErrorCode(error)}); check the disk`,
      error,
    );
  });
}

/**
 * Creates a file of mode 0600 from `bytes` without copying them. Durable on return; leaves no file
 * on failure.
 * @throws OperatorError, of code EEXIST if the path exists, also as a dangling symbolic link
 */
export function createSecretFile(file: string, bytes: Uint8Array): void {
  explainWriting(file, () => createFileSync(file, bytes, OWNER_ONLY));
}

/** Like {@link createSecretFile} for public content: mode 0644, less the umask. */
export function createPublicFile(file: string, bytes: Uint8Array): void {
  explainWriting(file, () => createFileSync(file, bytes, WORLD_READABLE));
}

/**
 * {@link createPublicFile} that atomically replaces the file.
 * @throws OperatorError; the file is unchanged unless syncing the folder failed
 */
export function replacePublicFile(file: string, bytes: Uint8Array): void {
  const temporary = `${file}.tmp`;
  explainWriting(file, () => {
    rmSync(temporary, { force: true });
    createFileSync(temporary, bytes, WORLD_READABLE);
    try {
      renameSync(temporary, file);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
    syncFolderSync(dirname(file));
  });
}

function explainWriting(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw fileError(file, adviseOnCreating(error), error);
  }
}

function createFileSync(file: string, bytes: Uint8Array, mode: number): void {
  const descriptor = openSync(file, 'wx', mode);
  try {
    try {
      writeAllSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolderSync(dirname(file));
  } catch (error) {
    removeQuietly(file);
    throw error;
  }
}

/**
 * Whether there is a file at this path.
 * @throws OperatorError for a dangling link, through which nothing is created
 */
export function pathExists(file: string): boolean {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return true;
  } catch (error) {
    throw fileError(file, `${adviseOnReading(error)}; nothing was created`, error);
  }
  throw new OperatorError(
    `${file} is a symbolic link to a file that does not exist; nothing was created. Restore that file, or remove the link.`,
  );
}

export function writeAllSync(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, null);
  }
}

async function explainSystemError(file: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw isSystemError(error) ? notReplaced(file, adviseOnCreating(error), error) : error;
  }
}

function notReplaced(file: string, reason: string, cause: unknown): OperatorError {
  return new OperatorError(`${file} was not changed: ${reason}.`, { cause });
}

async function copyAccess(
  file: string,
  handle: fs.FileHandle,
  { of, mode }: NonNullable<Replacement['access']>,
): Promise<void> {
  const [current, model] = await Promise.all([handle.stat(), fs.stat(of)]);
  try {
    if (current.uid !== model.uid || current.gid !== model.gid) await handle.chown(model.uid, model.gid);
  } catch (error) {
    throw notReplaced(
      file,
      `${of} belongs to another user or group, which could not read its replacement; run this as that user`,
      error,
    );
  }
  await handle.chmod(model.mode & mode);
}

/** Removes a file after a failure, which is the error to report. */
export function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The original error is the one to report.
  }
}
