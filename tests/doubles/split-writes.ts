import { constants } from 'node:fs';
import type { FileOperations } from '../../src/adapters/driven/audit-sink/file-operations.ts';

/**
 * The same file operations, which make each synchronous write in the two steps that it is by definition ("as though each write(2) was followed by a call to fdatasync(2)", open(2) of O_DSYNC): `write`, after which
 * the bytes are on the file, and `fdatasync`, after which they are durable. What one of them throws, the write throws. So a test that puts a call of its own in the place of one has that step in its hand: it lets it fail
 * or hang, or looks on. A write to a descriptor that was opened without O_DSYNC stays one step, and nothing follows it.
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
