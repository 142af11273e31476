import { AuditInputError } from '../../../ports/audit-verifier.ts';
import { GivenFile } from './given-file.ts';
import { listOwnFiles } from './own-files.ts';

/** A file may be rotated between two looks at the folder, hardly ever each time. */
const LOOKS = 5;

/**
 * Opens every file.
 * @throws AuditInputError when one can't be opened; then none stays open
 */
export async function openFiles(paths: readonly string[], patienceMs: number): Promise<readonly GivenFile[]> {
  const files: GivenFile[] = [];
  try {
    for (const path of paths) files.push(await GivenFile.open(path, patienceMs));
    return files;
  } catch (error) {
    await closeFiles(files);
    throw error;
  }
}

/**
 * Opens the service's audit file and those that were rotated out of it, all as they were at one moment.
 * @throws AuditInputError when one can't be opened
 */
export async function openOwnFiles(auditFile: string, patienceMs: number): Promise<readonly GivenFile[]> {
  let paths = await listOwnFiles(auditFile);
  for (let look = 1; look < LOOKS; look += 1) {
    const files = await openFiles(paths, patienceMs);
    const now = await listOwnFiles(auditFile);
    if (now.join('\n') === paths.join('\n')) return files;
    await closeFiles(files);
    paths = now;
  }
  throw new AuditInputError(`Files beside ${auditFile} come and go all the time: verify again, or name the files.`);
}

/** Safe after any error. */
export async function closeFiles(files: readonly GivenFile[]): Promise<void> {
  await Promise.all(files.map((file) => file.close()));
}
