import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';

/**
 * Determines the access that other users must not have. `secret`: none. `trusted`: no write access,
 * because it decides permissions.
 */
export type FileUse = 'secret' | 'trusted';

const ROOT = 0;
const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;
const GROUP_OR_OTHERS_WRITE = 0o022;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** Linux's MAXSYMLINKS. */
const MAX_LINKS = 40;
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Mode bits that a file must not have.
 * @param isOwn whether the service's user owns it; a mounted secret of another user (systemd
 * LoadCredential=, Kubernetes fsGroup) is read through its group
 */
export function forbiddenMode(use: FileUse, isOwn: boolean): number {
  if (use === 'trusted') return GROUP_OR_OTHERS_WRITE;
  return isOwn ? GROUP_OR_OTHERS : GROUP_WRITE_OR_OTHERS;
}

/**
 * Describes forbidden access of other users and the command to fix it; null if there is none.
 *
 * A trusted file belongs to root or the service's user. No folder on its path, links included, is
 * world-writable, unless sticky or read-only (Kubernetes ConfigMap).
 * @param stats fstat(2) of the open file, against races
 * @param content for the message: `the master key`
 * @param user effective user id; undefined where the system has none
 * @returns completes `FILE: `, without a full stop
 */
export function findPermissionIssue(
  file: string,
  { mode, uid }: Pick<Stats, 'mode' | 'uid'>,
  use: FileUse,
  content: string,
  user: number | undefined = process.geteuid?.(),
): string | null {
  const isOwn = uid === user;
  if ((mode & forbiddenMode(use, isOwn)) !== 0) {
    const [what, chmodMode] = use === 'trusted' ? ['can change', 'go-w'] : ['have access to', isOwn ? '600' : '440'];
    return `other users ${what} ${content} (its mode is 0${(mode & 0o777).toString(8)}); run \`chmod ${chmodMode} ${quoteForShell(file)}\``;
  }
  if (use === 'secret') return null;
  if (!isOwn && uid !== ROOT && user !== undefined) {
    return `it is owned by user ${uid}, which can change ${content} and is neither root nor the user of this process; run \`chown ${user} ${quoteForShell(file)}\` as root`;
  }
  return findFolderIssue(file);
}

function findFolderIssue(file: string): string | null {
  let folder: string | undefined;
  try {
    folder = foldersAbove(file).find(isReplaceable);
  } catch (error) {
    return `its folders cannot be inspected (${systemErrorCode(error)}); try again once it is no longer being moved`;
  }
  if (folder === undefined) return null;
  return `other users can replace it, because its folder is world-writable: ${folder}; run \`chmod o-w ${quoteForShell(folder)}\`, or mount it read-only`;
}

/**
 * Folders whose writers can replace the file, outermost first: those of every path component, links
 * resolved.
 * @throws the system's error for a missing path or too many links (ELOOP)
 */
export function foldersAbove(file: string): readonly string[] {
  const path = isAbsolute(file) ? file : process.cwd() + sep + file;
  const folders = new Set<string>();
  let folder = parse(path).root;
  let links = 0;
  const parts = splitPath(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    folders.add(folder);
    const entry = join(folder, part);
    const target = part === '..' ? null : readLink(entry);
    if (target === null) {
      folder = entry;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error(`too many links above ${file}`), { code: 'ELOOP' });
    if (isAbsolute(target)) folder = parse(target).root;
    parts.unshift(...splitPath(target));
  }
  return [...folders];
}

/** Not normalised: after a link, `..` is the parent of its target. */
function splitPath(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== '' && part !== '.');
}

function readLink(path: string): string | null {
  return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
}

function isReplaceable(folder: string): boolean {
  const { mode } = statSync(folder);
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'EROFS';
  }
}

function quoteForShell(text: string): string {
  return PLAIN_PATH.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
