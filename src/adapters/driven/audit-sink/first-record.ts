import { foreignFileFault } from './audit-file-fault.ts';
import type { FileOperations } from './file-operations.ts';
import { readFully } from './full-transfer.ts';

/** No record is longer: what a request adds to one is bounded. */
const MAX_RECORD_BYTES = 65_536;
const NEWLINE = 0x0a;

/** An open file of `size` bytes. */
export interface AuditFileCandidate {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
}

/**
 * Looks whether a file begins with an audit record, so that records are never added to a file that was named by mistake. Empty files pass, and
 * those without a whole line: what stands in them is for `moveTornTail` to judge.
 * @throws AuditUnavailableError when it begins with something else
 */
export async function assertAuditFile(file: AuditFileCandidate, operations: FileOperations): Promise<void> {
  const start = await readFully(file.fd, 0, Math.min(file.size, MAX_RECORD_BYTES), operations);
  const end = start.indexOf(NEWLINE);
  if (end === -1 && file.size <= MAX_RECORD_BYTES) return;
  if (!isRecord(start.toString('utf8', 0, Math.max(end, 0)))) {
    throw foreignFileFault(file.path, 'its first line is not an audit record');
  }
}

function isRecord(line: string): boolean {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null && 'event' in record && 'instanceId' in record;
  } catch {
    return false;
  }
}
