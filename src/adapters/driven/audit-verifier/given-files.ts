import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AuditNote } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { findLeftOut } from './compressed-files.ts';
import { identityAt } from './file-identity.ts';
import { asFound, type GivenFile, lookAt } from './given-file.ts';
import { isMissing } from './input-error.ts';
import { hasNameByHand, listOwnFiles } from './own-files.ts';
import { shownPath } from './shown-path.ts';

/** A file may be rotated between two looks at the folder, hardly ever each time. */
const LOOKS = 5;
/** Pause between two looks, milliseconds. */
const PAUSE_MS = 20;

/** What is to be verified, and what has to be said of it beforehand. */
export interface GivenFiles {
  readonly files: readonly GivenFile[];
  readonly notes: readonly AuditNote[];
  /** Compressed files, and those set aside, that are not verified, as they are shown. */
  readonly leftOut: readonly string[];
}

/**
 * Looks at every file, one after the other. When all are empty, the first line of a service that just begins is waited for.
 * @throws OperatorError when one can't be opened
 */
export async function lookAtFiles(paths: readonly string[], patienceMs: number): Promise<GivenFiles> {
  const deadline = performance.now() + patienceMs;
  for (let wereEmpty = false; ; wereEmpty = true) {
    const files: GivenFile[] = [];
    for (const path of paths) files.push(await lookAt(path, patienceMs, wereEmpty));
    if (files.some(({ first }) => first !== null) || performance.now() >= deadline) {
      return { files, ...(await findLeftOut(paths)) };
    }
    await setTimeout(PAUSE_MS);
  }
}

/**
 * Looks at the service's audit file and those that were rotated out of it, all as they were at one moment.
 * @throws OperatorError when one can't be opened, or none is there
 */
export async function lookAtOwnFiles(auditFile: string, patienceMs: number): Promise<GivenFiles> {
  for (let look = 1; look <= LOOKS; look += 1) {
    const paths = await listOwnFiles(auditFile);
    const found = await lookUnlessGone(paths, patienceMs, look === LOOKS);
    if (found !== null && (await areInPlace(found, auditFile))) {
      const missing = paths.includes(resolve(auditFile)) ? [] : [missingNote(auditFile)];
      const { leftOut, notes } = await findLeftOut([auditFile, ...paths]);
      const files = found.map((file) => (hasNameByHand(auditFile, file.path) ? asFound(file) : file));
      return { files, notes: [...missing, ...notes], leftOut };
    }
    await setTimeout(PAUSE_MS);
  }
  throw new OperatorError(
    `Files beside ${shownPath(auditFile)} come and go all the time: verify again, or name the files.`,
  );
}

/** Null when one is not there any more, unless `insists`. */
async function lookUnlessGone(
  paths: readonly string[],
  patienceMs: number,
  insists: boolean,
): Promise<readonly GivenFile[] | null> {
  try {
    return (await lookAtFiles(paths, patienceMs)).files;
  } catch (error) {
    if (!insists && isMissing(error)) return null;
    throw error;
  }
}

/** Whether no file came, went or got another name meanwhile. */
async function areInPlace(files: readonly GivenFile[], auditFile: string): Promise<boolean> {
  const now = await listOwnFiles(auditFile);
  if (now.join('\n') !== files.map(({ path }) => path).join('\n')) return false;
  for (const { path, identity } of files) {
    if ((await identityAt(path)) !== identity) return false;
  }
  return true;
}

function missingNote(auditFile: string): AuditNote {
  return {
    file: shownPath(resolve(auditFile)),
    message: 'is not there: only the files that were rotated out of it were verified',
  };
}
