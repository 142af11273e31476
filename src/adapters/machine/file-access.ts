import { constants, type Stats, statSync } from 'node:fs';
import {
  type FileUse,
  foldersAbove,
  forbiddenAccess,
  quoteForShell,
  repairAccess,
  repairOwner,
} from '../files/file-permissions.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { canAccess } from './disk-space.ts';
import { fail, type Issue, type Outcome, warning } from './outcome.ts';

/** A file with restricted access. */
export interface GuardedFile {
  readonly file: string;
  /** Severity of group or world access. */
  readonly whenShared: 'warning' | 'fail';
  readonly use: FileUse;
}

const ROOT = 0;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const OTHERS = 0o007;

/**
 * Checks mode and owner of a file and of all its ancestor folders, whose writers could replace it.
 * Follows links, reads no content.
 * @param user numeric id of the effective user; undefined where there is none
 * @returns null for a missing file
 */
export function checkFileAccess(
  { file, use, whenShared }: GuardedFile,
  user: number | undefined = process.geteuid?.(),
): Outcome | null {
  const stats = inspect(file);
  if (stats === 'ENOENT') return null;
  if (stats === 'ENOTDIR') {
    return fail(
      `${file} cannot be accessed: a part of its path is not a folder`,
      'Correct the path, or remove that file.',
    );
  }
  if (typeof stats === 'string') {
    return fail(`${file} cannot be accessed (${stats})`, 'Check the owner and the mode of its folders.');
  }
  if (!stats.isFile()) return fail(`${file} is not a regular file`, 'Put the file or a link to it there.');
  const issues = [
    ...findFileIssues({ file, use, whenShared }, stats, user),
    ...foldersAbove(file).flatMap((folder, index, all) => {
      // The service creates files beside the one that auditors may read.
      const isWritten = use === 'shared' && index === all.length - 1;
      return findFolderIssues(folder, isWritten, stats, user);
    }),
  ];
  if (issues.length === 0) return `${file} (mode ${formatMode(stats)})`;
  return {
    state: issues.some(({ state }) => state === 'fail') ? 'fail' : 'warning',
    message: `${file}: ${issues.map(({ message }) => message).join('; ')}`,
    remedy: `Fix: ${[...new Set(issues.map(({ remedy }) => remedy))].join('; ')}.`,
  };
}

function inspect(file: string): Stats | string {
  try {
    return statSync(file);
  } catch (error) {
    return systemErrorCode(error);
  }
}

function findFileIssues(
  { file, use, whenShared }: GuardedFile,
  stats: Stats,
  user: number | undefined,
): readonly Issue[] {
  const { mode, uid } = stats;
  const at = `(mode ${formatMode(stats)})`;
  const repair = repairAccess(file, stats, use, user);
  const ownerRepair = isForeign(stats, user) ? repairOwner(uid, repair, user) : null;
  const remedy = user === ROOT ? repair : (ownerRepair ?? repair);
  const issues: Issue[] = [];
  if ((mode & OTHERS_WRITE) !== 0) {
    issues.push(fail(`it is world-writable ${at}`, remedy));
  } else if ((mode & forbiddenAccess(stats, use, user)) !== 0) {
    const who = (mode & OTHERS) === 0 ? 'its group has' : 'every user has';
    issues.push({ state: whenShared, message: `${who} access to it ${at}`, remedy });
  }
  if (!canAccess(file, constants.R_OK)) issues.push(fail('this user cannot read it', remedy));
  if (ownerRepair !== null) issues.push(warning(`${file} belongs to user ${uid}`, ownerRepair));
  return issues;
}

/**
 * Writers of a folder can replace files in it, except in a sticky one, such as /tmp.
 * @param isWritten whether the service creates files there
 * @param file of the service, below the folder
 */
function findFolderIssues(folder: string, isWritten: boolean, file: Stats, user: number | undefined): readonly Issue[] {
  const stats = inspect(folder);
  if (typeof stats === 'string') return [];
  const path = quoteForShell(folder);
  const issues: Issue[] = [];
  const writers = (stats.mode & STICKY) === 0 ? stats.mode & (GROUP_WRITE | OTHERS_WRITE) : 0;
  if (writers !== 0) {
    const everybody = (writers & OTHERS_WRITE) !== 0;
    // The service may write there as a member of the group.
    const service = user === ROOT ? file.uid : user;
    const own = isWritten && stats.uid === ROOT && service !== ROOT ? `chown ${service} ${path} && ` : '';
    issues.push({
      state: everybody ? 'fail' : 'warning',
      message: `${everybody ? 'every user' : 'its group'} can replace it (folder ${folder}, mode ${formatMode(stats)})`,
      remedy: `run \`${own}chmod go-w ${path}\`${user === ROOT || stats.uid === user ? '' : ' as root'}`,
    });
  }
  if (isForeign(stats, user)) {
    const owner = file.uid === ROOT && !isWritten ? ROOT : user;
    const repair = `run \`chown ${owner} ${path}\` as root`;
    issues.push(warning(`${folder} belongs to user ${stats.uid}`, repairOwner(stats.uid, repair, user)));
  }
  return issues;
}

function isForeign({ uid }: Stats, user: number | undefined): user is number {
  return user !== undefined && uid !== user && uid !== ROOT;
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
