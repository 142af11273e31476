import type { FileOperations } from './file-operations.ts';

/** Writes all of `bytes`, however many calls the system makes of it. */
export async function writeFully(fd: number, bytes: Uint8Array, operations: FileOperations): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const written = await operations.write(fd, bytes, offset);
    if (written === 0) throw new Error('the system took none of the bytes to write');
    offset += written;
  }
}

/** Reads exactly `length` bytes from `position` on. */
export async function readFully(
  fd: number,
  position: number,
  length: number,
  operations: Pick<FileOperations, 'read'>,
): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset < length; ) {
    const read = await operations.read(fd, bytes.subarray(offset), position + offset);
    if (read === 0) throw new Error('the file shrank while it was read');
    offset += read;
  }
  return bytes;
}
