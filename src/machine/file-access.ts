import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { foldersAbove, forbiddenMode } from '../files/file-permissions.ts';
import { type Finding, type FindingState, fail, ok } from './finding.ts';

/** A file that not everybody should reach. */
export interface GuardedFile {
  /** Name of the check. */
  readonly check: string;
  readonly file: string;
  /** How bad it is when its group or others can read it, or its group can write it. */
  readonly whenShared: 'warning' | 'fail';
  /** Users of its group are meant to read it, as auditors are. */
  readonly groupMayRead?: boolean;
  /** It holds no secret: reading it is everybody's right, writing it is not. */
  readonly isPublic?: boolean;
  /** What to say when it isn't there; null when that is nobody's concern, or said elsewhere. */
  readonly whenMissing: {
    readonly state: FindingState;
    readonly message: string;
    readonly remedy: string | null;
  } | null;
}

interface Fault {
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
 * Who can get at a file: its mode, its owner, and the same of all folders above it, since who can write one of them can put another file in its
 * place. It reads no content. Symbolic links are followed, as they are when the file is used.
 * @param user numeric id of the effective user; undefined on a system without
 * @returns nothing where there is nothing to say
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
        `${file} can't be reached: a part of its path is no folder`,
        'Correct the path, or remove that file.',
      ),
    ];
  }
  if (typeof found === 'string') {
    return [fail(check, `${file} can't be reached (${found})`, 'Check the owner and the mode of its folders.')];
  }
  if (!found.isFile()) {
    return [fail(check, `${file} is no regular file`, 'Put the file itself, or a link to it, there.')];
  }
  const faults = [
    ...fileFaults(guarded, found, user),
    ...foldersAbove(file).flatMap((folder) => folderFaults(folder, user)),
  ];
  return [faults.length === 0 ? ok(check, `${file} (mode ${modeText(found)})`) : combine(check, file, faults)];
}

function inspect(file: string): Stats | string {
  try {
    return statSync(file);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  }
}

function fileFaults(
  { file, whenShared, groupMayRead, isPublic }: GuardedFile,
  stats: Stats,
  user: number | undefined,
): readonly Fault[] {
  const faults: Fault[] = [];
  const { mode } = stats;
  // A mounted secret that belongs to another user (systemd's LoadCredential=, a volume with fsGroup) is read through its group.
  const isForeign = user !== undefined && stats.uid !== user;
  const readThroughGroup = groupMayRead === true || isForeign;
  const chmod = `chmod ${isPublic ? 'go-w' : wantedMode(groupMayRead === true, isForeign)} ${file}`;
  const shut = forbiddenMode(isPublic === true ? 'trusted' : 'secret', !readThroughGroup);
  if ((mode & OTHERS_WRITE) !== 0) {
    faults.push({
      state: 'fail',
      message: `everybody can write it (mode ${modeText(stats)})`,
      remedy: chmod,
    });
  } else if ((mode & shut) !== 0) {
    const who = (mode & OTHERS) === 0 ? 'its group has' : 'everybody has';
    faults.push({
      state: whenShared,
      message: `${who} access to it (mode ${modeText(stats)})`,
      remedy: chmod,
    });
  }
  if (user !== undefined && stats.uid !== user && stats.uid !== ROOT) faults.push(foreign(file, stats));
  try {
    accessSync(file, constants.R_OK);
  } catch {
    faults.push({ state: 'fail', message: "this user can't read it", remedy: `let this user read ${file}` });
  }
  return faults;
}

/** As chmod(1) takes it. What the group may read, the service may have to write, so nothing is taken from its owner. */
function wantedMode(groupMayRead: boolean, isForeign: boolean): string {
  if (groupMayRead) return 'g-wx,o=';
  return isForeign ? '440' : '600';
}

/** In a folder with the sticky bit, as /tmp has it, nobody replaces a file of somebody else. */
function folderFaults(folder: string, user: number | undefined): readonly Fault[] {
  const stats = inspect(folder);
  if (typeof stats === 'string') return [];
  const faults: Fault[] = [];
  const writers = (stats.mode & STICKY) === 0 ? stats.mode & (GROUP_WRITE | OTHERS_WRITE) : 0;
  if (writers !== 0) {
    const everybody = (writers & OTHERS_WRITE) !== 0;
    const who = everybody ? 'everybody' : 'its group';
    faults.push({
      state: everybody ? 'fail' : 'warning',
      message: `${who} can put another file in its place (folder ${folder}, mode ${modeText(stats)})`,
      remedy: `chmod go-w ${folder}`,
    });
  }
  if (user !== undefined && stats.uid !== user && stats.uid !== ROOT) faults.push(foreign(folder, stats));
  return faults;
}

function foreign(path: string, { uid }: Stats): Fault {
  return {
    state: 'warning',
    message: `${path} belongs to user ${uid}`,
    remedy: `give ${path} to this user, or run this command as the user that the service runs as`,
  };
}

function combine(check: string, file: string, faults: readonly Fault[]): Finding {
  return {
    check,
    state: faults.some(({ state }) => state === 'fail') ? 'fail' : 'warning',
    message: `${file}: ${faults.map(({ message }) => message).join('; ')}`,
    remedy: `To mend it: ${faults.map(({ remedy }) => remedy).join('; ')}.`,
  };
}

function modeText({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
