import { constants } from 'node:fs';
import type { FileOperations } from './file-operations.ts';

/** Makes durable which files `folder` holds: a new file survives a power cut only once its folder was synced too. */
export async function syncFolder(folder: string, operations: FileOperations): Promise<void> {
  const fd = await operations.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await operations.fsync(fd);
  } finally {
    await operations.close(fd);
  }
}
