import { dirname } from 'node:path';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { formatRecords } from '../record/chain-verifier.ts';
import type { SegmentReason } from '../record/segment.ts';
import type { UnsignedTail } from './chain-end.ts';

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

const RESTORE_OR_NEW_CHAIN =
  'Restore the correct file. To begin a new chain instead, move all audit files and the .usage file together to another folder.';

/** A record that `.usage` names as written. */
interface KnownRecord {
  readonly seq: number;
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
}

/** Last resort when acknowledged records are lost, and its cost. */
function newChainRemedy(file: string, { closed }: KnownRecord): string {
  return closed
    ? `Only if there is no copy: move all audit files to another folder, leave ${file}.usage in place, and start again. A new file then begins after the known record, with reason \`missing\`, which records the gap. ` +
        'The missing records stay lost: keep the moved files.'
    : `Only if there is no copy: move all audit files and ${file}.usage together to another folder, and start again. A new chain then begins with record 1, and usage counters start at zero. ` +
        'The missing records stay lost, and the new chain does not show this: keep the moved files and document what happened.';
}

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

/** The end of the audit file is not a valid chain. */
export function brokenChainError(file: string, offset: number, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The end of the audit file ${file} is damaged or was altered: the line at byte ${offset} ${why}. The file was not changed. ` +
      `To see all issues, run \`signing-service audit verify ${file}\`. ${RESTORE_OR_NEW_CHAIN}`,
  );
}

/** The number of lines differs from the number of records. */
export function lineCountError(file: string, first: number, last: number, lines: number): AuditUnavailableError {
  const found = lines === 1 ? '1 line' : `${lines} lines`;
  return new AuditUnavailableError(
    `The audit file ${file} has ${found} where ${formatRecords(first, last)} expected: another program altered, added, repeated or removed lines. The file was not changed: keep a copy as evidence. ` +
      `To see which lines, run \`signing-service audit verify ${file}\`. ${RESTORE_OR_NEW_CHAIN}`,
  );
}

/** The chain ends before a record known to be written. */
export function truncatedChainError(file: string, found: number, known: KnownRecord): AuditUnavailableError {
  const end = found === 0 ? 'have no records' : `end with record ${found}`;
  return new AuditUnavailableError(
    `The files of the audit file ${file} ${end}, but record ${known.seq} was written: records are missing. No file was changed. ` +
      `Restore the missing files or records from a copy. ${newChainRemedy(file, known)}`,
  );
}

/** The newest file was compressed. */
export function compressedError(segment: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The newest audit file ${segment} is compressed, so no record can be appended to it. Run \`gunzip ${segment}\`, then start again. Compress only closed audit files.`,
  );
}

/** The newest file does not follow the one before it. */
export function brokenLinkError(segment: string, previous: string, last: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${segment} does not follow ${previous}, whose last record is ${last}: one of them was altered or belongs to another chain. No file was changed. ` +
      `To see all issues, run \`signing-service audit verify ${dirname(segment)}\`. Restore the correct file, or move the wrong one to another folder and keep it as evidence.`,
  );
}

/** The audit file's name is the only one of a file. */
export function foreignNameError(file: string, onlyCopyOf: string | null): AuditUnavailableError {
  const restore =
    onlyCopyOf === null
      ? ''
      : `If it is all that is left of ${onlyCopyOf}, which is missing, restore that: \`mv ${file} ${onlyCopyOf}\`. Otherwise: `;
  return new AuditUnavailableError(
    `${file} (SIGNING_AUDIT_FILE) is not a link to an audit file in its folder: it is a restored copy, of an older layout, or of another program. It was not changed. ` +
      `${restore}Move it to another folder, for example \`mv ${file} ${file}.old\`, then start again: the service makes a link to its newest audit file there.`,
  );
}

/** Another record has the number of one known to be written. */
export function otherChainError(file: string, known: KnownRecord): AuditUnavailableError {
  return new AuditUnavailableError(
    `Record ${known.seq} of the audit file ${file} differs from the one that was written: the file was replaced. The service left it unchanged. ` +
      `Restore the correct file from a copy. ${newChainRemedy(file, known)}`,
  );
}

/** Unsigned bytes follow a graceful shutdown. */
export function continuedChainError(
  auditFile: string,
  known: number,
  { segment, records, firstRecord }: UnsignedTail,
): AuditUnavailableError {
  const added = records === 0 ? 'an incomplete line was' : formatRecords(firstRecord, firstRecord + records - 1, 'was');
  return new AuditUnavailableError(
    `The audit file ${segment.path} continues after record ${known}, the last one before a graceful shutdown: ${added} added since then by another program. The file was not changed: keep a copy as evidence. ` +
      `Restore the correct file. To continue without the additions, move ${auditFile}.usage to another folder and start again: the additions are then moved to ${auditFile}.torn.`,
  );
}

/** Records signed by another key follow a graceful shutdown. */
export function otherKeyError(file: string, auditFile: string, known: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} continues after record ${known}, the last one before a graceful shutdown, with records signed by an audit key other than this service's (SIGNING_AUDIT_KEY_FILE). The file was not changed: ` +
      `keep a copy as evidence and restore the correct file. If you changed the key more than once since then, move ${auditFile}.usage to another folder and start again.`,
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
