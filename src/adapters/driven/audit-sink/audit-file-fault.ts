import { AuditUnavailableError } from '../../../domain/model/errors.ts';

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

/** Codes of a link, a folder and a pipe where a file is to be made. */
const IN_THE_WAY: ReadonlySet<string> = new Set(['ELOOP', 'EISDIR', 'ENXIO']);

/** Said wherever the service refuses to sign and goes on trying. */
const RESUMES = 'A running service signs again by itself as soon as a new file can be begun.';

/** What an operator does who knows what happened to a file and wants to go on without it. */
const SIGHUP =
  'When you know what happened, send the service SIGHUP: what is there is set aside, and a new file is begun that says so.';

/** A record that `.usage` says was written. */
interface KnownRecord {
  readonly seq: number;
  /** Whether the service stopped in order with it. */
  readonly closed: boolean;
}

/** The last resort where acknowledged records are lost, and what it costs. */
function newChainRemedy(file: string, { seq, closed }: KnownRecord): string {
  return closed
    ? `Only where there is no copy: move ${file} and the files rotated from it to another folder together, leave ${file}.usage, and start again: a new file begins behind record ${seq}, with reason \`missing\`, so that the gap is on record. ` +
        'The missing records stay lost: keep the moved files.'
    : `Only where there is no copy: move ${file}, the files rotated from it and ${file}.usage to another folder together, and start again: a new chain begins with record 1 and usage counters at zero. ` +
        'The missing records stay lost, and the new chain does not show it: keep the moved files, and note what happened.';
}

/** The audit file can't be opened: names the file, the setting and what to do. */
export function openFault(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} can not be opened (${messageOf(cause)}). ${remedyFor(cause)}, or set SIGNING_AUDIT_FILE to another path.`,
    { cause },
  );
}

/** The file that takes what no signature covers can't be opened. */
export function tornFileFault(tornFile: string, cause: unknown): AuditUnavailableError {
  const remedy = IN_THE_WAY.has(codeOf(cause)) ? `Move ${tornFile} to another folder` : remedyFor(cause);
  return new AuditUnavailableError(
    `The unsigned end of the audit file was left where it is, because ${tornFile} can not be opened (${messageOf(cause)}). ${remedy}, then start again.`,
    { cause },
  );
}

/** The platform can't write as the audit file needs it. Never so on Linux. */
export function noSynchronousWritesFault(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) can not be opened: this platform has no O_DSYNC, without which a record can't be known to be durable. Run the service on Linux.`,
  );
}

/** The audit file is there but is no audit file; it was left as it is. */
export function foreignFileFault(file: string, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} is not an audit file: ${why}. It was left as it is. Move it aside, or set SIGNING_AUDIT_FILE to another path.`,
  );
}

/** Another process has the audit file. */
export function lockedFault(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `Another running service writes the audit file ${file}. Stop it first, or set SIGNING_AUDIT_FILE to another path: each needs a file of its own.`,
  );
}

/** The end of the audit file is not a chain of records. */
export function brokenChainFault(file: string, offset: number, why: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The end of the audit file ${file} is not as the service wrote it: the line at byte ${offset} ${why}. It was left as it is. ` +
      `To see all that is wrong: signing-service audit verify ${file}. Put the right file back; or, to begin a new chain of records, move it, the files rotated from it, and ` +
      'its .usage file to another folder together.',
  );
}

/** Records do not stand on one line each. */
export function lineCountFault(file: string, first: number, last: number, lines: number): AuditUnavailableError {
  const records = first > last ? `nothing behind record ${last}` : `records ${first} to ${last}`;
  const has = lines === 1 ? '1 line' : `${lines} lines`;
  return new AuditUnavailableError(
    `The audit file ${file} has ${has} where ${records} should stand: another program altered, added, repeated or removed lines. It was left as it is: keep a copy as evidence. ` +
      `To see which: signing-service audit verify ${file}. Put the right file back; or, to begin a new chain of records, move it, the files rotated from it, and ` +
      'its .usage file to another folder together.',
  );
}

/** The records end before one that is known to have been written. */
export function cutChainFault(file: string, found: number, known: KnownRecord): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} and the files rotated from it end with record ${found}, and record ${known.seq} was written: what followed is missing. It was left as it is. ` +
      `Decompress the newest file where it was compressed (.gz), or restore the missing file or records from a copy. ${newChainRemedy(file, known)}`,
  );
}

/** The file has another record in the place of one that is known to have been written. */
export function otherChainFault(file: string, known: KnownRecord): AuditUnavailableError {
  return new AuditUnavailableError(
    `Record ${known.seq} of the audit file ${file} is another than the one that was written: the file was replaced. It was left as it is. ` +
      `Restore the right file from a copy. ${newChainRemedy(file, known)}`,
  );
}

/**
 * Records, or part of a line, follow the one with which the service stopped in order, and no
 * signature covers them.
 * @param range numbers of the whole records; null where there is nothing but an unfinished line
 */
export function continuedFault(
  file: string,
  auditFile: string,
  known: number,
  range: { readonly first: number; readonly last: number } | null,
): AuditUnavailableError {
  const added = addedText(range);
  return new AuditUnavailableError(
    `The audit file ${file} goes on behind record ${known}, with which the service stopped in order: ${added} added since, by another program. The file was left as it is: keep a copy as evidence. ` +
      `Put the right file back; or, to go on without what was added, move ${auditFile}.usage to another folder and start again: it is then moved to ${auditFile}.torn.`,
  );
}

function addedText(range: { readonly first: number; readonly last: number } | null): string {
  if (range === null) return 'an unfinished line was';
  const { first, last } = range;
  return first === last ? `record ${first} was` : `records ${first} to ${last} were`;
}

/** Records that another key signed follow the one with which the service stopped in order. */
export function otherKeyFault(file: string, auditFile: string, known: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} goes on behind record ${known}, with which the service stopped in order, under another audit key than this service's (SIGNING_AUDIT_KEY_FILE). It was left as it is: ` +
      `keep a copy as evidence, and put the right file back. If you changed the key more than once since, move ${auditFile}.usage to another folder and start again.`,
  );
}

/**
 * The newest of the rotated files has no signed record, so that the chain can't go on behind it.
 */
export function nothingSignedFault(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `${file} holds records that no signature covers: the service acknowledged none of them. It was left as it is. Move it to another folder, then start again.`,
  );
}

/** What happened to the audit file while the service runs. */
export type Interference = 'removed' | 'truncated' | 'changed';

const INTERFERENCES: { readonly [Kind in Interference]: string } = {
  removed: 'was removed by another program',
  truncated: 'was truncated by another program: records that were on it are not there any more',
  changed: 'was replaced or written to by another program',
};

const NEXT_STEPS: { readonly [Kind in Interference]: string } = {
  removed: `${RESUMES} What was on it is saved in a file beside it.`,
  truncated: `If that was logrotate, use its \`create\` with SIGHUP, never \`copytruncate\`. Signing goes on by itself where a file beside it has all the records. ${SIGHUP}`,
  changed: SIGHUP,
};

/** The file at the path is not what was written there. */
export function interferenceFault(file: string, kind: Interference): AuditUnavailableError {
  const next = NEXT_STEPS[kind];
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) ${INTERFERENCES[kind]}, so no signature is released. ${next}`,
  );
}

/** Writing failed, or making durable what was written, while the service runs. */
export function writeFault(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) can not be written (${messageOf(cause)}), so no signature is released. ${remedyFor(cause)}. ${RESUMES}`,
    { cause },
  );
}

/** The disk does not answer. */
export function stuckFault(file: string, timeoutMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) did not make a record durable within ${timeoutMs} ms (SIGNING_AUDIT_TIMEOUT_MS), so no signature is released. ` +
      'Check the disk. A running service signs again by itself as soon as it answers.',
  );
}

/** The disk does not answer the question whether it can be written to. */
export function hungFault(file: string, waitedMs: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The disk of the audit file ${file} (SIGNING_AUDIT_FILE) has not answered for ${waitedMs} ms. Check the disk.`,
  );
}

/** More records wait than may. */
export function overflowFault(file: string, waiting: number): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} takes records more slowly than they come: ${waiting} are waiting. ` +
      'Send fewer requests at once, or put SIGNING_AUDIT_FILE on a faster disk.',
  );
}

/** The sink was closed. */
export function closedFault(): AuditUnavailableError {
  return new AuditUnavailableError('The audit file is closed.');
}

function remedyFor(cause: unknown): string {
  return REMEDIES.get(codeOf(cause)) ?? 'Make it a file that the service can write';
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
