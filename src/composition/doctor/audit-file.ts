import { constants } from 'node:fs';
import { resolve } from 'node:path';
import { openFault } from '../../adapters/driven/audit-sink/audit-file-fault.ts';
import { assertOneLineEach, verifyTail } from '../../adapters/driven/audit-sink/chain-end.ts';
import { nodeFileOperations } from '../../adapters/driven/audit-sink/file-operations.ts';
import { readFirstRecord } from '../../adapters/driven/audit-sink/open-segment.ts';
import { findTornTail } from '../../adapters/driven/audit-sink/torn-tail.ts';
import { AuditUnavailableError } from '../../domain/model/errors.ts';
import { checkFileAccess } from '../../machine/file-access.ts';
import { type Finding, fail, ok } from '../../machine/finding.ts';

/** As the service opens it, but for reading alone. A pipe is not waited for. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Whether the service would take this file for its audit records, as the audit sink itself judges it, and who can get at it. Nothing is changed, and no lock
 * is taken, so that another running service that has the file is not seen.
 */
export async function checkAuditFile(file: string): Promise<readonly Finding[]> {
  const path = resolve(file);
  const verdict = await judge(path);
  if (verdict instanceof AuditUnavailableError) {
    return [fail('audit-file', verdict.message, 'The service does not start before this is right.')];
  }
  const access = checkFileAccess({
    check: 'audit-file',
    file,
    whenShared: 'warning',
    groupMayRead: true,
    whenMissing: { state: 'ok', message: `${file} is not there yet: it is made at the first start`, remedy: null },
  });
  if (verdict !== 'torn') return access;
  const torn = `it ends in lines behind its last signed record, which were never acknowledged: at its next start the service moves them to ${path}.torn (or a running service is just writing them)`;
  return [...access, ok('audit-file-end', torn)];
}

async function judge(path: string): Promise<'whole' | 'torn' | AuditUnavailableError> {
  let fd: number | undefined;
  try {
    fd = await nodeFileOperations.open(path, FLAGS);
    const status = await nodeFileOperations.fstat(fd);
    // What is no regular file is said by the check of who can get at it.
    if (!status.isFile()) return 'whole';
    const { size } = status;
    const first = await readFirstRecord({ path, fd, size }, nodeFileOperations);
    const torn = await findTornTail({ path, fd, size }, nodeFileOperations);
    if (first === null) return torn === 0 ? 'whole' : 'torn';
    const end = await verifyTail({ path, publicKey: first.publicKey }, fd, size - torn, nodeFileOperations);
    await assertOneLineEach({ path, first: first.record }, fd, end, null, nodeFileOperations);
    return end.size === size ? 'whole' : 'torn';
  } catch (error) {
    if (error instanceof AuditUnavailableError) return error;
    return isSaidElsewhere(error) ? 'whole' : openFault(path, error);
  } finally {
    if (fd !== undefined) await nodeFileOperations.close(fd);
  }
}

/** That it is missing, or out of this user's reach. */
function isSaidElsewhere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}
