import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { foldersAbove, forbiddenMode } from '../files/file-permissions.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { type Finding, type FindingState, fail, ok } from './finding.ts';

/** A file with restricted access. */
export interface GuardedFile {
  readonly check: string;
  readonly file: string;
  /** Severity of group or world access. */
  readonly whenShared: 'warning' | 'fail';
  /** Whether its group may read it, as auditors do. */
  readonly groupMayRead?: boolean;
  /** Whether it holds no secret and may be read by all. */
  readonly isPublic?: boolean;
  /** The finding for a missing file; null for none. */
  readonly whenMissing: {
    readonly state: FindingState;
    readonly message: string;
    readonly remedy: string | null;
  } | null;
}

interface AccessIssue {
  readonly state: 'warning' | 'fail';
  readonly message: string;
  readonly remedy: string;
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
 * @returns empty when there is nothing to report
 */
export function checkFileAccess(
  guarded: GuardedFile,
  user: number | undefined = process.geteuid?.(),
): readonly Finding[] {
  const { check, file, whenMissing } = guarded;
  const found = inspect(file);
  if (found === 'ENOENT') return whenMissing === null ? [] : [{ check, ...whenMissing }];
  if (found === 'ENOTDIR') {
    return [
      fail(
        check,
        `${file} cannot be accessed: a part of its path is not a folder`,
        'Correct the path, or remove that file.',
      ),
    ];
  }
  if (typeof found === 'string') {
    return [fail(check, `${file} cannot be accessed (${found})`, 'Check the owner and the mode of its folders.')];
  }
  if (!found.isFile()) {
    return [fail(check, `${file} is not a regular file`, 'Put the file or a link to it there.')];
  }
  const issues = [
    ...findFileIssues(guarded, found, user),
    ...foldersAbove(file).flatMap((folder) => findFolderIssues(folder, user)),
  ];
  return [issues.length === 0 ? ok(check, `${file} (mode ${formatMode(found)})`) : toFinding(check, file, issues)];
}

function inspect(file: string): Stats | string {
  try {
    return statSync(file);
  } catch (error) {
    return systemErrorCode(error);
  }
}

function findFileIssues(
  { file, whenShared, groupMayRead, isPublic }: GuardedFile,
  stats: Stats,
  user: number | undefined,
): readonly AccessIssue[] {
  const issues: AccessIssue[] = [];
  const { mode } = stats;
  // A mounted secret of another user (systemd's LoadCredential=, a volume with fsGroup) is read
  // through its group.
  const isForeign = user !== undefined && stats.uid !== user;
  const readThroughGroup = groupMayRead === true || isForeign;
  const chmod = `chmod ${isPublic ? 'go-w' : recommendMode(groupMayRead === true, isForeign)} ${file}`;
  const forbidden = forbiddenMode(isPublic === true ? 'trusted' : 'secret', !readThroughGroup);
  if ((mode & OTHERS_WRITE) !== 0) {
    issues.push({
      state: 'fail',
      message: `it is world-writable (mode ${formatMode(stats)})`,
      remedy: chmod,
    });
  } else if ((mode & forbidden) !== 0) {
    const who = (mode & OTHERS) === 0 ? 'its group has' : 'every user has';
    issues.push({
      state: whenShared,
      message: `${who} access to it (mode ${formatMode(stats)})`,
      remedy: chmod,
    });
  }
  if (user !== undefined && stats.uid !== user && stats.uid !== ROOT) issues.push(createOwnerIssue(file, stats));
  try {
    accessSync(file, constants.R_OK);
  } catch {
    issues.push({
      state: 'fail',
      message: 'this user cannot read it',
      remedy: `make it readable for this user: ${file}`,
    });
  }
  return issues;
}

/** An argument of chmod(1). The owner keeps its rights: the service may have to write. */
function recommendMode(groupMayRead: boolean, isForeign: boolean): string {
  if (groupMayRead) return 'g-wx,o=';
  return isForeign ? '440' : '600';
}

/** The sticky bit, as on /tmp, prevents replacing other users' files. */
function findFolderIssues(folder: string, user: number | undefined): readonly AccessIssue[] {
  const stats = inspect(folder);
  if (typeof stats === 'string') return [];
  const issues: AccessIssue[] = [];
  const writers = (stats.mode & STICKY) === 0 ? stats.mode & (GROUP_WRITE | OTHERS_WRITE) : 0;
  if (writers !== 0) {
    const everybody = (writers & OTHERS_WRITE) !== 0;
    const who = everybody ? 'every user' : 'its group';
    issues.push({
      state: everybody ? 'fail' : 'warning',
      message: `${who} can replace it (folder ${folder}, mode ${formatMode(stats)})`,
      remedy: `chmod go-w ${folder}`,
    });
  }
  if (user !== undefined && stats.uid !== user && stats.uid !== ROOT) issues.push(createOwnerIssue(folder, stats));
  return issues;
}

function createOwnerIssue(path: string, { uid }: Stats): AccessIssue {
  return {
    state: 'warning',
    message: `${path} belongs to user ${uid}`,
    remedy: `make this user the owner of ${path}, or run this command as the user of the service`,
  };
}

function toFinding(check: string, file: string, issues: readonly AccessIssue[]): Finding {
  return {
    check,
    state: issues.some(({ state }) => state === 'fail') ? 'fail' : 'warning',
    message: `${file}: ${issues.map(({ message }) => message).join('; ')}`,
    remedy: `Fix: ${issues.map(({ remedy }) => remedy).join('; ')}.`,
  };
}

function formatMode({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
