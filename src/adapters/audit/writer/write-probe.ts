import { constants } from 'node:fs';
import { type FileSystem, writeFully } from './file-system.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;

/** A whole block: never a hole, never in the inode. */
const BLOCK = Buffer.alloc(4096, 'probe ');

/**
 * Writes and syncs a block in a temporary file: it needs what a record needs.
 * @throws the system's error
 */
export async function tryWriting(auditFile: string, { open, unlink }: FileSystem): Promise<void> {
  const path = `${auditFile}.probe.tmp`;
  const handle = await open(path, NEW_FILE, FILE_MODE);
  try {
    await writeFully(handle, BLOCK);
    await handle.datasync();
  } finally {
    await handle.close();
    // A leftover is reused.
    await unlink(path).catch(() => undefined);
  }
}
