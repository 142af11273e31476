import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
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
/** Links that Linux follows in one path: MAXSYMLINKS. */
const MAX_LINKS = 40;
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
 * A trusted file belongs to root or to the service's user. No folder on the way to it, links
 * included, may be open to everybody, where another file can be put in its place: neither one with
 * the sticky bit is, nor a read-only mount, such as that of a Kubernetes ConfigMap.
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
 * Folders whose writers can put another file in the place of this one: each in which a part of its
 * path, or of the target of a link on the way, is looked up. Outermost first, free of links.
 * @throws the system's error where the path leads nowhere, or through too many links (ELOOP)
 */
export function foldersAbove(file: string): readonly string[] {
  const path = isAbsolute(file) ? file : process.cwd() + sep + file;
  const folders = new Set<string>();
  let folder = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    folders.add(folder);
    const entry = join(folder, part);
    const target = part === '..' ? null : linkTarget(entry);
    if (target === null) {
      folder = entry;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error(`too many links above ${file}`), { code: 'ELOOP' });
    if (isAbsolute(target)) folder = parse(target).root;
    parts.unshift(...partsOf(target));
  }
  return [...folders];
}

/** Not normalised: behind a link, `..` is the folder above its target. */
function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== '' && part !== '.');
}

function linkTarget(path: string): string | null {
  return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
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
