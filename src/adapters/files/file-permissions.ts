import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, parse, sep } from 'node:path';
import { systemErrorCode } from './system-error-code.ts';

/**
 * Determines the access that other users must not have. `secret`: none, except to read through the
 * group of a given file. `shared`: none, except to read through its group. `trusted`: no write
 * access, because it decides permissions.
 */
export type FileUse = 'secret' | 'shared' | 'trusted';

/** Access that a file must not give. */
interface AccessLimit {
  /** Bits of the mode. */
  readonly forbidden: number;
  /** What removes them and leaves the file readable for the service. A clause. */
  readonly remedy: string;
}

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
 * Limits the access of other users. The verdict on a file of root is the same for root and for the
 * service: a group may read a secret that belongs to another user than the reader (systemd
 * LoadCredential=, Kubernetes fsGroup), or to root and a group other than root's.
 * @param stats of the file
 * @param user effective user id; undefined where the system has none
 */
export function limitAccess(
  file: string,
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
  use: FileUse,
  user: number | undefined = process.geteuid?.(),
): AccessLimit {
  const path = quoteForShell(file);
  const run = (commands: string) => `run \`${commands}\``;
  if (use === 'trusted') return { forbidden: GROUP_OR_OTHERS_WRITE, remedy: run(`chmod go-w ${path}`) };
  if (use === 'shared') return { forbidden: GROUP_WRITE_OR_OTHERS, remedy: run(`chmod g-wx,o= ${path}`) };
  if (uid !== user || (uid === ROOT && gid !== ROOT)) {
    const isReader = user === undefined || user === ROOT || isInGroup(gid);
    const take = `${run(`chown ${user} ${path} && chmod 600 ${path}`)} as root`;
    return { forbidden: GROUP_WRITE_OR_OTHERS, remedy: isReader ? run(`chmod 640 ${path}`) : take };
  }
  const isReadByAll = user === ROOT && (mode & OTHERS_READ) !== 0;
  return { forbidden: GROUP_OR_OTHERS, remedy: run(`chmod 600 ${path}`) + (isReadByAll ? IF_ROOT : '') };
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
  stats: Pick<Stats, 'mode' | 'uid' | 'gid'>,
  use: FileUse,
  content: string,
  user: number | undefined = process.geteuid?.(),
): string | null {
  const { mode, uid } = stats;
  const { forbidden, remedy } = limitAccess(file, stats, use, user);
  if ((mode & forbidden) !== 0) {
    const what = use === 'trusted' ? 'can change' : 'have access to';
    return `other users ${what} ${content} (its mode is 0${(mode & 0o777).toString(8)}); ${remedy}`;
  }
  if (use === 'secret') return null;
  if (uid !== user && uid !== ROOT && user !== undefined) {
    return `it is owned by user ${uid}, which can change ${content} and is neither root nor the user of this process; ${makeOwner(file, uid, user)}`;
  }
  return findFolderIssue(file);
}

/**
 * The remedy for a file or folder of another user than this one. As a clause.
 * @param owner of the file
 * @param user of this process
 */
export function makeOwner(path: string, owner: number, user: number): string {
  return `if the service runs as user ${owner}, run this as that user; otherwise run \`chown ${user} ${quoteForShell(path)}\` as root`;
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
