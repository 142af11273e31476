import { constants } from 'node:fs';
import { lockedFault } from './audit-file-fault.ts';
import type { FileOperations } from './file-operations.ts';

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;

/**
 * Makes this process the one writer of an audit file, by a kernel lock on `<file>.lock`, which stays in its place while audit files are rotated. The lock is gone with the process,
 * or when the descriptor that this returns is closed.
 * @throws AuditUnavailableError when another process is the writer
 */
export async function lockWriter(path: string, operations: FileOperations): Promise<number> {
  const fd = await operations.open(`${path}.lock`, FLAGS, FILE_MODE);
  if (operations.tryLock(fd)) return fd;
  await operations.close(fd);
  throw lockedFault(path);
}
