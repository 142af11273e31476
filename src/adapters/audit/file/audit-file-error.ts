import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Give the user that runs the service the right to write it and its folder'],
  ['EPERM', 'Give the user that runs the service the right to write it and its folder'],
  ['EROFS', 'Mount a writable volume there'],
  ['ENOENT', 'Make its folder'],
  ['ELOOP', 'It is a symbolic link, which is not followed: name the file that it points to'],
  ['ENOTDIR', 'A part of its path is a file, not a folder: remove that file'],
  ['EEXIST', 'A part of its path is a file, not a folder: remove that file'],
  ['EISDIR', 'It is a folder: name a file in it'],
  ['ENOSPC', 'Make room on its disk'],
  ['EDQUOT', 'Raise the disk quota of the user that runs the service'],
  ['EMFILE', 'Raise the limit on open files'],
  ['EFBIG', 'Raise the limit on the size of files, or set SIGNING_AUDIT_ROTATE_BYTES below it'],
  ['EIO', 'Check the disk'],
]);

/** Error codes of a link, a folder or a pipe at the path of a new file. */
const NOT_A_FILE_CODES: ReadonlySet<string> = new Set(['ELOOP', 'EISDIR', 'ENXIO']);

const RESUMES_ADVICE = 'A running service signs again by itself as soon as a new file can be begun.';

const SIGHUP =
  'When you know what happened, send the service SIGHUP: what is there is set aside, and a new file is begun that says so.';

/** A record that `.usage` names as written. */
interface KnownRecord {
  readonly seq: number;
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
}

/** Last resort when acknowledged records are lost, and its cost. */
function newChainRemedy(file: string, { seq, closed }: KnownRecord): string {
  return closed
    ? `Only where there is no copy: move ${file} and the files rotated from it to another folder together, leave ${file}.usage, and start again: a new file begins behind record ${seq}, with reason \`missing\`, so that the gap is on record. ` +
        'The missing records stay lost: keep the moved files.'
    : `Only where there is no copy: move ${file}, the files rotated from it and ${file}.usage to another folder together, and start again: a new chain begins with record 1 and usage counters at zero. ` +
        'The missing records stay lost, and the new chain does not show it: keep the moved files, and note what happened.';
}

/** The audit file can't be opened. */
export function openError(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} can not be opened (${getMessage(cause)}). ${remedyFor(cause)}, or set SIGNING_AUDIT_FILE to another path.`,
    { cause },
  );
}

/** The file for unsigned bytes (`<file>.torn`) can't be opened. */
export function tornFileError(tornFile: string, cause: unknown): AuditUnavailableError {
  const remedy = NOT_A_FILE_CODES.has(systemErrorCode(cause)) ? `Move ${tornFile} to another folder` : remedyFor(cause);
  return new AuditUnavailableError(
    `The unsigned end of the audit file was left where it is, because ${tornFile} can not be opened (${getMessage(cause)}). ${remedy}, then start again.`,
    { cause },
  );
}

/** The platform has no synchronous writes. Never on Linux. */
export function synchronousWritesError(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) can not be opened: this platform has no O_DSYNC, without which a record can't be known to be durable. Run the service on Linux.`,
  );
}

/** The file is not an audit file and was left unchanged. */
export function notAuditFileError(file: string, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} is not an audit file: ${why}. It was left as it is. Move it aside, or set SIGNING_AUDIT_FILE to another path.`,
  );
}

/** Another process holds the lock. */
export function lockedError(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `Another running service writes the audit file ${file}. Stop it first, or set SIGNING_AUDIT_FILE to another path: each needs a file of its own.`,
  );
}

/** The end of the audit file is not a valid chain. */
export function brokenChainError(file: string, offset: number, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The end of the audit file ${file} is not as the service wrote it: the line at byte ${offset} ${why}. It was left as it is. ` +
      `To see all that is wrong: signing-service audit verify ${file}. Put the right file back; or, to begin a new chain of records, move it, the files rotated from it, and ` +
      'its .usage file to another folder together.',
  );
}

/** The number of lines differs from the number of records. */
export function lineCountError(file: string, first: number, last: number, lines: number): AuditUnavailableError {
  const records = first > last ? `nothing behind record ${last}` : `records ${first} to ${last}`;
  const has = lines === 1 ? '1 line' : `${lines} lines`;
  return new AuditUnavailableError(
    `The audit file ${file} has ${has} where ${records} should stand: another program altered, added, repeated or removed lines. It was left as it is: keep a copy as evidence. ` +
      `To see which: signing-service audit verify ${file}. Put the right file back; or, to begin a new chain of records, move it, the files rotated from it, and ` +
      'its .usage file to another folder together.',
  );
}

/** The chain ends before a record known to be written. */
export function truncatedChainError(file: string, found: number, known: KnownRecord): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} and the files rotated from it end with record ${found}, and record ${known.seq} was written: what followed is missing. It was left as it is. ` +
      `Decompress the newest file where it was compressed (.gz), or restore the missing file or records from a copy. ${newChainRemedy(file, known)}`,
  );
}

/** Another record has the number of one known to be written. */
export function otherChainError(file: string, known: KnownRecord): AuditUnavailableError {
  return new AuditUnavailableError(
    `Record ${known.seq} of the audit file ${file} is another than the one that was written: the file was replaced. It was left as it is. ` +
      `Restore the right file from a copy. ${newChainRemedy(file, known)}`,
  );
}

/**
 * Unsigned bytes follow an orderly shutdown.
 * @param range numbers of the whole records; null for an incomplete line only
 */
export function continuedChainError(
  file: string,
  auditFile: string,
  known: number,
  range: { readonly first: number; readonly last: number } | null,
): AuditUnavailableError {
  const added = formatAdded(range);
  return new AuditUnavailableError(
    `The audit file ${file} goes on behind record ${known}, with which the service stopped in order: ${added} added since, by another program. The file was left as it is: keep a copy as evidence. ` +
      `Put the right file back; or, to go on without what was added, move ${auditFile}.usage to another folder and start again: it is then moved to ${auditFile}.torn.`,
  );
}

function formatAdded(range: { readonly first: number; readonly last: number } | null): string {
  if (range === null) return 'an unfinished line was';
  const { first, last } = range;
  return first === last ? `record ${first} was` : `records ${first} to ${last} were`;
}

/** Records signed by another key follow an orderly shutdown. */
export function otherKeyError(file: string, auditFile: string, known: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} goes on behind record ${known}, with which the service stopped in order, under another audit key than this service's (SIGNING_AUDIT_KEY_FILE). It was left as it is: ` +
      `keep a copy as evidence, and put the right file back. If you changed the key more than once since, move ${auditFile}.usage to another folder and start again.`,
  );
}

/** The newest rotated file has no signed record to continue from. */
export function noSignedRecordError(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} holds records that no signature covers: the service acknowledged none of them. It was left as it is. Move it to another folder, then start again.`,
  );
}

/** What another program did to the audit file at run time. */
export type ExternalModification = 'removed' | 'truncated' | 'changed';

const MODIFICATIONS: { readonly [Kind in ExternalModification]: string } = {
  removed: 'was removed by another program',
  truncated: 'was truncated by another program: records that were on it are not there any more',
  changed: 'was replaced or written to by another program',
};

const NEXT_STEPS: { readonly [Kind in ExternalModification]: string } = {
  removed: `${RESUMES_ADVICE} What was on it is saved in a file beside it.`,
  truncated: `If that was logrotate, use its \`create\` with SIGHUP, never \`copytruncate\`. Signing goes on by itself where a file beside it has all the records. ${SIGHUP}`,
  changed: SIGHUP,
};

/** The file at the path is not what was written. */
export function modificationError(file: string, kind: ExternalModification): AuditUnavailableError {
  const next = NEXT_STEPS[kind];
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) ${MODIFICATIONS[kind]}, so no signature is released. ${next}`,
  );
}

/** Writing or syncing failed at run time. */
export function writeError(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) can not be written (${getMessage(cause)}), so no signature is released. ${remedyFor(cause)}. ${RESUMES_ADVICE}`,
    { cause },
  );
}

/** No record became durable in time. */
export function commitTimeoutError(file: string, timeoutMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) did not make a record durable within ${timeoutMs} ms (SIGNING_AUDIT_TIMEOUT_MS), so no signature is released. ` +
      'Check the disk. A running service signs again by itself as soon as it answers.',
  );
}

/** The write probe timed out. */
export function probeTimeoutError(file: string, waitedMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) has not answered for ${waitedMs} ms. Check the disk.`,
  );
}

/** The queue is full. */
export function queueFullError(file: string, waiting: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} takes records more slowly than they come: ${waiting} are waiting. ` +
      'Send fewer requests at once, or put SIGNING_AUDIT_FILE on a faster disk.',
  );
}

export function closedError(): AuditUnavailableError {
  return new AuditUnavailableError('The audit file is closed.');
}

function remedyFor(cause: unknown): string {
  return REMEDIES.get(systemErrorCode(cause)) ?? 'Make it a file that the service can write';
}

function getMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
