import { dirname } from 'node:path';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import type { SegmentReason } from '../record/segment.ts';

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Give the service user write access to it and its folder'],
  ['EPERM', 'Give the service user write access to it and its folder'],
  ['EROFS', 'Mount a writable volume there'],
  ['ENOENT', 'Create its folder'],
  ['ELOOP', 'It is a symbolic link, which is not followed: use the path of its target'],
  ['ENOTDIR', 'A part of its path is a file, not a folder: remove that file'],
  ['EEXIST', 'A part of its path is a file, not a folder: remove that file'],
  ['EISDIR', 'It is a folder: use the path of a file in it'],
  ['ENOSPC', 'Free space on its disk'],
  ['EDQUOT', 'Raise the disk quota of the service user'],
  ['EMFILE', 'Raise the limit on open files'],
  ['EFBIG', 'Raise the file size limit, or set SIGNING_AUDIT_ROTATE_BYTES below it'],
  ['EIO', 'Check the disk'],
]);

/** Error codes of a link, a folder or a pipe at the path of a new file. */
const NOT_A_FILE_CODES: ReadonlySet<string> = new Set(['ELOOP', 'EISDIR', 'ENXIO']);

const RESUMES_ADVICE = 'A running service resumes signing as soon as it can begin a new file.';

/** The audit file cannot be opened. A cause that says so itself stays as it is. */
export function openError(file: string, cause: unknown): AuditUnavailableError {
  if (cause instanceof AuditUnavailableError) return cause;
  return new AuditUnavailableError(
    `The audit file ${file} cannot be opened (${getMessage(cause)}). ${remedyFor(cause)}, or set SIGNING_AUDIT_FILE to another path.`,
    { cause },
  );
}

/** The file for unsigned bytes (`<file>.torn`) cannot be opened. */
export function tornFileError(tornFile: string, cause: unknown): AuditUnavailableError {
  const remedy = NOT_A_FILE_CODES.has(systemErrorCode(cause)) ? `Move ${tornFile} to another folder` : remedyFor(cause);
  return new AuditUnavailableError(
    `The unsigned end of the audit file was not moved, because ${tornFile} cannot be opened (${getMessage(cause)}). ${remedy}, then start again.`,
    { cause },
  );
}

/** The file is not an audit file and was left unchanged. */
export function notAuditFileError(file: string, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} is not an audit file: ${why}. It was not changed. Move it to another folder, or set SIGNING_AUDIT_FILE to another path.`,
  );
}

/** Another process holds the lock. */
export function lockedError(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `Another running service is writing the audit file ${file}. Stop it first, or set SIGNING_AUDIT_FILE to another path: each service needs its own file.`,
  );
}

/**
 * A segment is not what the service wrote.
 * @param what a predicate to its path, with an explanation
 */
export function damagedError(segment: string, what: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${segment} ${what}. No file was changed: keep a copy as evidence. To see all issues, run \`signing-service audit verify ${dirname(segment)}\`. ` +
      'Restore the correct file; move a file of another chain to another folder. To begin a new chain instead, move all audit files and the .usage file together to another folder.',
  );
}

/** The newest file was compressed. */
export function compressedError(segment: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The newest audit file ${segment} is compressed, so no record can be appended to it. Run \`gunzip ${segment}\`, then start again. Compress only closed audit files.`,
  );
}

/**
 * The audit file's name leads to a file that is none of its segments.
 * @param advice for what the file may be, with a space at its end; empty for none
 */
export function foreignNameError(file: string, advice: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} (SIGNING_AUDIT_FILE) is not a link to an audit file in its folder: it is a restored copy, of an older layout, or of another program. It was not changed. ` +
      `${advice}Move it to another folder, for example \`mv ${file} ${file}.old\`, then start again: the service makes a link to its newest audit file there.`,
  );
}

/**
 * Acknowledged records are lost. The last resort depends on how the service ended: after a crash,
 * the record that it noted is not known to be the last one.
 * @param what a sentence
 * @param isClosed whether it ended gracefully
 */
export function lostRecordsError(auditFile: string, what: string, isClosed: boolean): AuditUnavailableError {
  const usageFile = `${auditFile}.usage`;
  const newChain = isClosed
    ? `move all audit files to another folder, leave ${usageFile} in place, and start again. A new file then begins after the known record, with reason \`missing\`, which records the gap. The missing records stay lost: keep the moved files.`
    : `move all audit files and ${usageFile} together to another folder, and start again. A new chain then begins with record 1, and usage counters start at zero. The missing records stay lost, and the new chain does not show this: keep the moved files and document what happened.`;
  return new AuditUnavailableError(
    `${what} No file was changed. Restore the correct files from a copy. Only if there is no copy: ${newChain}`,
  );
}

/**
 * Another program continued the chain after a graceful shutdown.
 * @param how continues the first sentence
 * @param remedy follows "Restore the correct file."
 */
export function continuedError(segment: string, known: number, how: string, remedy: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${segment} continues after record ${known}, the last one before a graceful shutdown${how}. The file was not changed: keep a copy as evidence. Restore the correct file. ${remedy}`,
  );
}

/** What follows from a modification. */
interface ModificationFacts {
  /** Of the next segment. */
  readonly reason: SegmentReason;
  /** Whether the next one begins without an order. */
  readonly signsOn: boolean;
  /** Predicates to the file, and advice. */
  readonly what: string;
  readonly next: string;
}

/** What another program can do to the open segment. */
export const MODIFICATIONS = {
  moved: {
    reason: 'reopened',
    signsOn: true,
    what: 'was moved by another program',
    next: 'Records go to the next audit file as soon as it can begin. Move and compress only closed audit files. Send SIGHUP to the service to confirm.',
  },
  removed: {
    reason: 'removed',
    signsOn: true,
    what: 'was removed by another program',
    next: 'Its records are saved beside it, and records go to the next audit file, as soon as that is possible. Find out what happened, then send SIGHUP to the service to confirm.',
  },
  truncated: {
    reason: 'truncated',
    signsOn: false,
    what: 'was truncated by another program and has lost records, so no signature is released',
    next: 'If logrotate did this, remove it: the service rotates by itself. Find out what happened, then send SIGHUP to the service: it begins the next audit file, which records the reason.',
  },
  changed: {
    reason: 'changed',
    signsOn: false,
    what: 'was replaced or written to by another program, so no signature is released',
    next: 'Find out what happened, then send SIGHUP to the service: it begins the next audit file, which records the reason.',
  },
} as const satisfies { readonly [what: string]: ModificationFacts };

export type Modification = keyof typeof MODIFICATIONS;

/** The open segment is not what was written. */
export function modificationError(segment: string, modification: Modification): AuditUnavailableError {
  const { what, next } = MODIFICATIONS[modification];
  return new AuditUnavailableError(`The audit file ${segment} ${what}. ${next}`);
}

/** Writing or syncing failed at run time. */
export function writeError(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) cannot be written (${getMessage(cause)}), so no signature is released. ${remedyFor(cause)}. ${RESUMES_ADVICE}`,
    { cause },
  );
}

/** No record became durable in time. */
export function commitTimeoutError(file: string, timeoutMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) did not make a record durable within ${timeoutMs} ms (SIGNING_AUDIT_TIMEOUT_MS), so no signature is released. ` +
      'Check the disk. A running service resumes signing as soon as the disk responds.',
  );
}

/** The write probe timed out. */
export function probeTimeoutError(file: string, waitedMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) has not responded for ${waitedMs} ms. Check the disk.`,
  );
}

/** The queue is full. */
export function queueFullError(file: string, waiting: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} cannot keep up with new records: ${waiting} are waiting. ` +
      'Send fewer concurrent requests, or put SIGNING_AUDIT_FILE on a faster disk.',
  );
}

export function closedError(): AuditUnavailableError {
  return new AuditUnavailableError('The audit file is closed.');
}

function remedyFor(cause: unknown): string {
  return REMEDIES.get(systemErrorCode(cause)) ?? 'Replace it with a file that the service can write';
}

function getMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
