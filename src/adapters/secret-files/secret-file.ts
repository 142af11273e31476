import { closeSync, readSync, type Stats } from 'node:fs';
import { adviseOnReading, fileError } from '../files/file-advice.ts';
import { findPermissionIssue } from '../files/file-permissions.ts';
import { openRegularFileSync } from '../files/open-regular-file.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';

/**
 * Reads a whole file into locked memory, passes it to `use` and wipes it. Follows symbolic links
 * (Kubernetes secrets).
 * @param use also receives fstat(2) of the open file
 * @throws OperatorError if unreadable, not regular, empty, too large, or modified meanwhile
 */
export function withSecretFile<Result>(
  path: string,
  maxBytes: number,
  use: (content: Buffer, stats: Stats) => Result,
): Result {
  const { descriptor, stats } = explainReading(path, () => openRegularFileSync(path, { maxBytes }));
  try {
    const { size } = stats;
    if (size === 0) throw fileError(path, 'it is empty; check that the secret was written to it');
    // One extra byte detects growth.
    return withLockedBytes(size + 1, (bytes) => {
      if (explainReading(path, () => readInto(bytes, descriptor)) !== size) {
        throw fileError(path, 'it changed while it was being read; try again when no program writes to it');
      }
      return use(bytes.subarray(0, size), stats);
    });
  } finally {
    closeSync(descriptor);
  }
}

function explainReading<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw fileError(path, adviseOnReading(error), error);
  }
}

/** @returns length of the file, at most that of `bytes` */
function readInto(bytes: Buffer, descriptor: number): number {
  for (let total = 0; ; ) {
    const count = readSync(descriptor, bytes, total, bytes.length - total, null);
    total += count;
    if (count === 0 || total === bytes.length) return total;
  }
}

/**
 * Rejects a key file that other users can access.
 * @param stats fstat(2) of the open file, against races
 * @param content for the message: `the master key`
 * @throws OperatorError with the chmod to run
 */
export function assertPrivate(file: string, stats: Stats, content: string): void {
  const issue = findPermissionIssue(file, stats, 'secret', content);
  if (issue === null) return;
  throw fileError(
    file,
    `${issue}. Set the mode of a mounted secret where it is mounted; the default is too open: \`defaultMode: 0400\` of a Kubernetes volume, ` +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 if the file belongs to another user than the user of this program',
  );
}
