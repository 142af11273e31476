import type { Stats } from 'node:fs';
import { KeyFileError } from './key-file-error.ts';

const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Refuses a key file that more users can read or write than have to. A mounted secret that belongs to another user (systemd's LoadCredential=, a Kubernetes
 * volume with fsGroup) is read through its group, so that group may read it.
 *
 * @param stats of the very file that was opened (fstat(2)), so that no other can take its place in between
 * @param holds what the file holds, for the message: `the master key`
 * @throws KeyFileError with the chmod to run
 */
export function assertPrivate(file: string, { mode, uid }: Stats, holds: string): void {
  const isOwn = uid === process.geteuid?.();
  const forbidden = isOwn ? GROUP_OR_OTHERS : GROUP_WRITE_OR_OTHERS;
  if ((mode & forbidden) === 0) return;
  throw new KeyFileError(
    file,
    `other users have access to ${holds} (its mode is 0${(mode & 0o777).toString(8)}); run \`chmod ${isOwn ? '600' : '440'} ${shellWord(file)}\`. ` +
      'A mounted secret gets its mode where it is mounted, and by default one that is too open: `defaultMode: 0400` of a Kubernetes volume, ' +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 where the file belongs to another user than the one who runs this program',
  );
}

function shellWord(text: string): string {
  return PLAIN_PATH.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
