import { type BigIntStats, closeSync, constants, promises as fs, fstatSync, openSync, type Stats } from 'node:fs';

export interface OpenOptions {
  /** Maximum size; unlimited if absent. */
  readonly maxBytes?: number;
  /** Rejects a symbolic link (ELOOP) instead of following it. */
  readonly noFollow?: boolean;
}

export interface RegularFile {
  readonly handle: fs.FileHandle;
  /** fstat(2) of the open file. */
  readonly stats: BigIntStats;
}

/** Not opened: not a regular file, or too large. */
export class UnsuitableFileError extends Error {
  override readonly name = 'UnsuitableFileError';
  /** EISDIR: folder. EINVAL: pipe, socket or device. EFBIG: too large. */
  readonly code: 'EISDIR' | 'EINVAL' | 'EFBIG';

  constructor(path: string, code: UnsuitableFileError['code']) {
    super(`${path} is not a readable file (${code})`);
    this.code = code;
  }
}

/**
 * Opens a regular file for reading, without blocking on a pipe.
 * @returns the open file, which the caller closes
 * @throws UnsuitableFileError, or the error of open(2)
 */
export async function openRegularFile(path: string, options: OpenOptions = {}): Promise<RegularFile> {
  const handle = await fs.open(path, flagsFor(options));
  try {
    const stats = await handle.stat({ bigint: true });
    assertSuitable(path, stats, options);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** {@link openRegularFile} that closes the file after `use`. */
export async function withRegularFile<Result>(
  path: string,
  options: OpenOptions,
  use: (file: RegularFile) => Promise<Result>,
): Promise<Result> {
  const file = await openRegularFile(path, options);
  try {
    return await use(file);
  } finally {
    await file.handle.close();
  }
}

/** Synchronous {@link openRegularFile}, for reading into locked memory. */
export function openRegularFileSync(
  path: string,
  options: OpenOptions = {},
): { readonly descriptor: number; readonly stats: Stats } {
  const descriptor = openSync(path, flagsFor(options));
  try {
    const stats = fstatSync(descriptor);
    assertSuitable(path, stats, options);
    return { descriptor, stats };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** O_NONBLOCK: opening a pipe would wait for a writer. */
function flagsFor({ noFollow = false }: OpenOptions): number {
  return constants.O_RDONLY | constants.O_NONBLOCK | (noFollow ? constants.O_NOFOLLOW : 0);
}

function assertSuitable(path: string, stats: Stats | BigIntStats, { maxBytes = Infinity }: OpenOptions): void {
  if (stats.isDirectory()) throw new UnsuitableFileError(path, 'EISDIR');
  if (!stats.isFile()) throw new UnsuitableFileError(path, 'EINVAL');
  if (stats.size > maxBytes) throw new UnsuitableFileError(path, 'EFBIG');
}

/** Identifies a file by device and inode, which may be reused after deletion. */
export function getFileIdentity({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Identity of the file at this path; null if it cannot be determined. */
export async function readFileIdentity(path: string): Promise<string | null> {
  try {
    return getFileIdentity(await fs.stat(path, { bigint: true }));
  } catch {
    return null;
  }
}
