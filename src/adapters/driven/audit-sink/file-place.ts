import type { Interference } from './audit-file-fault.ts';
import { type FileOperations, type FileStatus, isSameFile } from './file-operations.ts';
import type { OpenSegment } from './segment-writer.ts';

/** Where the audit file was found, whole. `moved`: under another name than its path. */
export type Place = 'in place' | 'moved';

/**
 * Looks what lies under the path of the audit file, and whether the open file has the size that it should have, bytes.
 * @throws the system's error when that can't be told
 */
export async function findPlace(
  path: string,
  segment: OpenSegment,
  expectedSize: number,
  operations: FileOperations,
): Promise<Place | Interference> {
  const found = await statIfThere(path, operations);
  if (found !== null && isSameFile(found, segment)) return compareSize(found.size, expectedSize) ?? 'in place';
  const own = await operations.fstat(segment.fd);
  if (own.nlink > 0) return compareSize(own.size, expectedSize) ?? 'moved';
  if (own.size < expectedSize) return 'truncated';
  return found === null || found.size === 0 ? 'removed' : 'changed';
}

/** The file at the path; null when there is none. */
export async function statIfThere(path: string, operations: FileOperations): Promise<FileStatus | null> {
  try {
    return await operations.stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Null when there is no difference. */
function compareSize(found: number, expected: number): 'truncated' | 'changed' | null {
  if (found === expected) return null;
  return found < expected ? 'truncated' : 'changed';
}
