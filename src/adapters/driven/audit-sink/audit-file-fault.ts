import { AuditUnavailableError } from '../../../domain/model/errors.ts';

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Give the user that runs the service the right to write it and its folder'],
  ['EPERM', 'Give the user that runs the service the right to write it and its folder'],
  ['EROFS', 'Mount a writable volume there'],
  ['ELOOP', 'It is a symbolic link, which is not followed: name the file that it points to'],
  ['ENOTDIR', 'A part of its path is a file, not a folder: remove that file'],
  ['EEXIST', 'A part of its path is a file, not a folder: remove that file'],
  ['EISDIR', 'It is a folder: name a file in it'],
  ['ENOSPC', 'Make room on its disk'],
  ['EDQUOT', 'Raise the disk quota of the user that runs the service'],
  ['EMFILE', 'Raise the limit on open files'],
  ['EFBIG', 'Raise the limit on the size of files, or move the file aside'],
  ['EIO', 'Check the disk, and move the file aside if it is damaged'],
]);

/** The audit file can't be opened: names the file, the setting and what to do. */
export function openFault(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} can not be opened (${messageOf(cause)}). ${remedyFor(cause)}, or set SIGNING_AUDIT_FILE to another path.`,
    { cause },
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

/** The file at the path is not what was written there. */
export function tamperedFault(file: string): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) was moved, removed, replaced or changed by another program, so no signature is released. ` +
      'Find out which program it was, put the file back, then restart the service.',
  );
}

/** Writing or syncing failed while the service runs. */
export function writeFault(file: string, cause: unknown): AuditUnavailableError {
  return new AuditUnavailableError(
    `The audit file ${file} (SIGNING_AUDIT_FILE) can not be written (${messageOf(cause)}), so no signature is released. ` +
      `${remedyFor(cause)}, then restart the service.`,
    { cause },
  );
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
