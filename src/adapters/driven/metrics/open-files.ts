import { readdir, stat } from 'node:fs/promises';

/** Where Linux shows the open descriptors of a process (proc_pid_fd(5)). */
const OWN_FILES = '/proc/self/fd';

/**
 * How many files and connections this process has open; null where that can't be told. Since Linux 6.2 the size of the folder says it; before, it has to be read, which with 8,000 connections takes ten milliseconds, and is
 * done beside the event loop.
 */
export async function countOpenFiles(folder = OWN_FILES): Promise<number | null> {
  try {
    const { size } = await stat(folder);
    return size > 0 ? size : (await readdir(folder)).length;
  } catch {
    return null;
  }
}
