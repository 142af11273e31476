import { constants } from 'node:fs';
import type { FileOperations } from '../../src/adapters/audit/file/file-operations.ts';

/**
 * File operations whose synchronous writes are made in their two steps ("as though each write(2)
 * was followed by a call to fdatasync(2)", open(2) of O_DSYNC): `write` and `fdatasync`, whose
 * errors the write throws. A test can replace either step to let it fail or hang. Writes without
 * O_DSYNC stay one step.
 * @param calls looked up with each call
 */
export function splitWrites(calls: FileOperations): FileOperations {
  const synchronous = new Set<number>();
  return {
    ...calls,
    open: async (path, flags, mode) => {
      const fd = await calls.open(path, flags, mode);
      if ((flags & constants.O_DSYNC) === 0) synchronous.delete(fd);
      else synchronous.add(fd);
      return fd;
    },
    write: async (fd, bytes, offset) => {
      const written = await calls.write(fd, bytes, offset);
      if (synchronous.has(fd)) await calls.fdatasync(fd);
      return written;
    },
  };
}
