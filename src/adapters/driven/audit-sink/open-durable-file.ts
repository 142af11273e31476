import { constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { foreignFileFault, lockedFault, openFault } from './audit-file-fault.ts';
import type { FileOperations } from './file-operations.ts';
import { assertAuditFile } from './first-record.ts';
import { syncFolder } from './sync-folder.ts';
import { moveTornTail } from './torn-tail.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** A file that ends with a complete line (or is empty), ready to be appended to. */
export interface DurableFile {
  /** Absolute path. */
  readonly path: string;
  readonly fd: number;
  /** The file itself, which its path may not name for ever. */
  readonly dev: number;
  readonly ino: number;
  /** Bytes in it. */
  readonly size: number;
  /** Bytes of a torn last line that were moved aside, 0 when it was whole. */
  readonly tornBytes: number;
  /** Where they were moved to. */
  readonly tornPath: string;
}

/**
 * Opens `file` for appending; creates it (mode 0600) and its folder (0700) when missing. Existing modes stay as the operator set them.
 * When it returns, no other process has it, its name is durable, and a torn last line has been moved to `<file>.torn`.
 * @throws AuditUnavailableError that names the file, the setting and what to do.
 */
export async function openDurableFile(file: string, operations: FileOperations): Promise<DurableFile> {
  const path = resolve(file);
  try {
    await makeFolder(dirname(path), operations);
    const fd = await operations.open(path, FLAGS, FILE_MODE);
    return await prepare(path, fd, operations).catch(async (error: unknown) => {
      await operations.close(fd);
      throw error;
    });
  } catch (error) {
    throw error instanceof AuditUnavailableError ? error : openFault(path, error);
  }
}

async function prepare(path: string, fd: number, operations: FileOperations): Promise<DurableFile> {
  const status = await operations.fstat(fd);
  if (!status.isFile()) throw foreignFileFault(path, 'it is a device or a pipe');
  // Before anything is looked at: what another process is writing would look torn.
  if (!operations.tryLock(fd)) throw lockedFault(path);
  const { dev, ino, size } = await operations.fstat(fd);
  await assertAuditFile({ path, fd, size }, operations);
  await syncFolder(dirname(path), operations);
  const tornPath = `${path}.torn`;
  const tornBytes = await moveTornTail({ path, fd, size, tornPath }, operations);
  return { path, fd, dev, ino, size: size - tornBytes, tornBytes, tornPath };
}

/** Each new level is durable once the folder above it is synced. */
async function makeFolder(folder: string, operations: FileOperations): Promise<void> {
  const topmost = await operations.mkdir(folder, FOLDER_MODE);
  if (topmost === undefined) return;
  for (let level = folder; level.length >= topmost.length; level = dirname(level)) {
    await syncFolder(dirname(level), operations);
  }
}
