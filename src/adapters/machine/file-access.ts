import { constants, type Stats, statSync } from 'node:fs';
import { type FileUse, foldersAbove, limitAccess, makeOwner, quoteForShell } from '../files/file-permissions.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { canAccess } from './disk-space.ts';
import { fail, type Issue, type Outcome } from './outcome.ts';

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
      return findFolderIssues(folder, isWritten, user);
    }),
  ];
  if (issues.length === 0) return `${file} (mode ${formatMode(stats)})`;
  return {
    state: issues.some(({ state }) => state === 'fail') ? 'fail' : 'warning',
    message: `${file}: ${issues.map(({ message }) => message).join('; ')}`,
    remedy: `Fix: ${issues.map(({ remedy }) => remedy).join('; ')}.`,
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
  const issues: Issue[] = [];
  const { mode } = stats;
  const { forbidden, remedy } = limitAccess(file, stats, use, user);
  const at = `(mode ${formatMode(stats)})`;
  if ((mode & OTHERS_WRITE) !== 0) {
    issues.push(fail(`it is world-writable ${at}`, remedy));
  } else if ((mode & forbidden) !== 0) {
    const who = (mode & OTHERS) === 0 ? 'its group has' : 'every user has';
    issues.push({ state: whenShared, message: `${who} access to it ${at}`, remedy });
  }
  if (user !== undefined && isForeign(stats, user)) issues.push(createOwnerIssue(file, stats, user));
  if (!canAccess(file, constants.R_OK)) {
    issues.push(
      fail('this user cannot read it', `run this as the user of the service, and let that user read ${file}`),
    );
  }
  return issues;
}

/** The sticky bit, as on /tmp, prevents replacing other users' files. */
function findFolderIssues(folder: string, isWritten: boolean, user: number | undefined): readonly Issue[] {
  const stats = inspect(folder);
  if (typeof stats === 'string') return [];
  const issues: Issue[] = [];
  const writers = (stats.mode & STICKY) === 0 ? stats.mode & (GROUP_WRITE | OTHERS_WRITE) : 0;
  if (writers !== 0) {
    const everybody = (writers & OTHERS_WRITE) !== 0;
    const who = everybody ? 'every user' : 'its group';
    const chmod = `run \`chmod go-w ${quoteForShell(folder)}\``;
    issues.push({
      state: everybody ? 'fail' : 'warning',
      message: `${who} can replace it (folder ${folder}, mode ${formatMode(stats)})`,
      remedy:
        isWritten && stats.uid === ROOT ? `make the user of the service the owner of ${folder}, then ${chmod}` : chmod,
    });
  }
  if (user !== undefined && isForeign(stats, user)) issues.push(createOwnerIssue(folder, stats, user));
  return issues;
}

function isForeign({ uid }: Stats, user: number): boolean {
  return uid !== user && uid !== ROOT;
}

function createOwnerIssue(path: string, { uid }: Stats, user: number): Issue {
  return { state: 'warning', message: `${path} belongs to user ${uid}`, remedy: makeOwner(path, uid, user) };
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
