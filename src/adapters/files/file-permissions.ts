import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';

/**
 * Determines the access that other users must not have. `secret`: none, except to read through the
 * group of a given file. `shared`: none, except to read through its group. `trusted`: no write
 * access, because it decides permissions.
 */
export type FileUse = 'secret' | 'shared' | 'trusted';

type Access = Pick<Stats, 'mode' | 'uid' | 'gid'>;

const ROOT = 0;
const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;
const GROUP_OR_OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** Linux's MAXSYMLINKS. */
const MAX_LINKS = 40;
/** Root cannot tell which user the service is. */
const IF_ROOT = ' if the service runs as root; otherwise give it a group of the service with chgrp, and mode 0640';
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Bits of the mode that a file must not have. The verdict on a file of root is the same for root
 * and for the service: a group may read a secret that belongs to another user than the reader
 * (systemd LoadCredential=, Kubernetes fsGroup), or to root and a group other than root's.
 * @param user effective user id; undefined where the system has none
 */
export function forbiddenAccess(
  { uid, gid }: Access,
  use: FileUse,
  user: number | undefined = process.geteuid?.(),
): number {
  if (use === 'trusted') return GROUP_OR_OTHERS_WRITE;
  const mayGroupRead = use === 'shared' || uid !== user || (uid === ROOT && gid !== ROOT);
  return mayGroupRead ? GROUP_WRITE_OR_OTHERS : GROUP_OR_OTHERS;
}

/**
 * The command that removes forbidden access. The service can still read the file, and write a
 * shared one; root can still change what is in a folder of root. The folder tells the two apart.
 * @param user effective user id; root cannot tell which user the service is
 * @returns a clause
 */
export function repairAccess(
  file: string,
  access: Access,
  use: FileUse,
  user: number | undefined = process.geteuid?.(),
): string {
  if (foldersAbove(file).some((folder) => basename(folder).startsWith('..'))) {
    return 'set defaultMode to 0440 and fsGroup to a group of the service, where Kubernetes mounts it';
  }
  const { uid, gid, mode } = access;
  const path = quoteForShell(file);
  const { owner, group } = findOwner(access, statSync(dirname(file)), use, user);
  const change = use === 'shared' ? 'g-wx,o=' : group === null ? '600' : '640';
  const commands = [
    ...(owner === uid ? [] : [`chown ${owner}${group === null ? '' : `:${group}`} ${path}`]),
    ...(owner !== uid || group === null || group === gid ? [] : [`chgrp ${group} ${path}`]),
    `chmod ${use === 'trusted' && (mode & OTHERS_READ) !== 0 ? 'go-w' : change} ${path}`,
  ];
  const isForAll = user === ROOT && change === '600' && owner === ROOT && (mode & OTHERS_READ) !== 0;
  const asRoot = user === ROOT || uid === user ? '' : ' as root';
  return `run \`${commands.join(' && ')}\`${isForAll ? IF_ROOT : asRoot}`;
}

/** Who should own a file, and the group through which the service reads it; null: as owner. */
function findOwner({ uid, gid }: Access, folder: Stats, use: FileUse, user: number = ROOT) {
  if (use === 'shared') return { owner: user !== ROOT ? user : uid === ROOT ? folder.uid : uid, group: null };
  const isOfService = (group: number) => (user === ROOT ? group !== ROOT : isInGroup(group));
  if (uid === user && user !== ROOT) return { owner: user, group: null };
  if (uid === ROOT && isOfService(gid)) return { owner: ROOT, group: gid };
  if (folder.uid === ROOT && isOfService(folder.gid)) return { owner: ROOT, group: folder.gid };
  if (user !== ROOT) return { owner: user, group: null };
  return { owner: folder.uid === ROOT ? uid : folder.uid, group: null };
}

/** Whether this process belongs to a group. */
function isInGroup(gid: number): boolean {
  return process.getegid?.() === gid || process.getgroups?.().includes(gid) === true;
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
  stats: Access,
  use: FileUse,
  content: string,
  user: number | undefined = process.geteuid?.(),
): string | null {
  const { mode, uid } = stats;
  if ((mode & forbiddenAccess(stats, use, user)) !== 0) {
    const what = use === 'trusted' ? 'can change' : 'have access to';
    const repair = repairAccess(file, stats, use, user);
    return `other users ${what} ${content} (its mode is 0${(mode & 0o777).toString(8)}); ${repair}`;
  }
  if (use === 'secret') return null;
  if (uid !== user && uid !== ROOT && user !== undefined) {
    return `it is owned by user ${uid}, which can change ${content} and is neither root nor the user of this process; ${repairOwner(uid, repairAccess(file, stats, use, user), user)}`;
  }
  return findFolderIssue(file);
}

/**
 * The remedy for a file or folder of another user than this one. As a clause.
 * @param owner of the file
 * @param repair what makes it one of the service, if that is this user
 * @param user of this process
 */
export function repairOwner(owner: number, repair: string, user: number): string {
  const otherwise = user === ROOT ? 'give it to the user of the service with chown' : repair;
  return `if the service runs as user ${owner}, run this as that user; otherwise ${otherwise}`;
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

/** A path as an argument of a shell command. */
export function quoteForShell(text: string): string {
  return PLAIN_PATH.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
