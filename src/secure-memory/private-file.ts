import type { Stats } from 'node:fs';
import { findPermissionFault } from '../files/file-permissions.ts';
import { KeyFileError } from './key-file-error.ts';

/**
 * Refuses a key file that more users can read or write than have to.
 *
 * @param stats of the very file that was opened (fstat(2)), so that no other can take its place in between
 * @param holds what the file holds, for the message: `the master key`
 * @throws KeyFileError with the chmod to run
 */
export function assertPrivate(file: string, stats: Stats, holds: string): void {
  const fault = findPermissionFault(file, stats, 'secret', holds);
  if (fault === null) return;
  throw new KeyFileError(
    file,
    `${fault}. A mounted secret gets its mode where it is mounted, and by default one that is too open: \`defaultMode: 0400\` of a Kubernetes volume, ` +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 where the file belongs to another user than the one who runs this program',
  );
}
