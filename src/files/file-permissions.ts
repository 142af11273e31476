import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';

/**
 * What a file is to the service, which decides what other users must not do with it. `secret`:
 * nobody else reads or writes it. `trusted`: it decides who may do what, so nobody else writes it.
 */
export type FileUse = 'secret' | 'trusted';

const ROOT = 0;
const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;
const GROUP_OR_OTHERS_WRITE = 0o022;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Mode bits that a file must not have.
 * @param isOwn whether the service's user owns it. A mounted secret that belongs to another user
 * (systemd's LoadCredential=, a Kubernetes volume with fsGroup) is read through its group.
 */
export function forbiddenMode(use: FileUse, isOwn: boolean): number {
  if (use === 'trusted') return GROUP_OR_OTHERS_WRITE;
  return isOwn ? GROUP_OR_OTHERS : GROUP_WRITE_OR_OTHERS;
}

/**
 * Why other users can do with a file what they must not, and the command that ends it; null when
 * they can't.
 *
 * A trusted file belongs to root or to the service's user. No folder above it, nor above a link to
 * it, may be open to everybody, where another file can be put in its place: neither one with the
 * sticky bit is, nor a read-only mount, such as that of a Kubernetes ConfigMap.
 *
 * @param stats of the very file that was opened (fstat(2)), so that no other can take its place in
 * between
 * @param holds what the file holds, for the message: `the master key`
 * @param user numeric id of the effective user; undefined on a system without
 * @returns completes `FILE: `, without a full stop
 */
export function findPermissionFault(
  file: string,
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  use: FileUse,
  holds: string,
  user: number | undefined = process.geteuid?.(),
): string | null {
  const isOwn = uid === user;
  if ((mode & forbiddenMode(use, isOwn)) !== 0) {
    const [what, wanted] = use === 'trusted' ? ['can change', 'go-w'] : ['have access to', isOwn ? '600' : '440'];
    return `other users ${what} ${holds} (its mode is 0${(mode & 0o777).toString(8)}); run \`chmod ${wanted} ${shellWord(file)}\``;
  }
  if (use === 'secret') return null;
  if (!isOwn && uid !== ROOT && user !== undefined) {
    return `it belongs to user ${uid}, who can change ${holds} and is neither root nor the user who runs this program; run \`chown ${user} ${shellWord(file)}\` as root`;
  }
  return findFolderFault(file);
}

function findFolderFault(file: string): string | null {
  let folder: string | undefined;
  try {
    folder = foldersAbove(file).find(isOpenToAll);
  } catch (error) {
    return `its folders can't be looked at (${systemErrorCode(error)}); try again when nobody moves it`;
  }
  if (folder === undefined) return null;
  return `other users can put another file in its place, since everybody can write the folder ${folder}; run \`chmod o-w ${shellWord(folder)}\`, or mount it read-only`;
}

/**
 * Folders whose writers can put another file in the place of this one: of a link, those above it
 * and above the file.
 */
export function foldersAbove(file: string): readonly string[] {
  const standing = join(realpathSync(dirname(file)), basename(file));
  return [...new Set([...parents(standing), ...parents(realpathSync(file))])];
}

function parents(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...parents(folder)];
}

function isOpenToAll(folder: string): boolean {
  const { mode } = statSync(folder);
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'EROFS';
  }
}

function shellWord(text: string): string {
  return PLAIN_PATH.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
