import { constants } from 'node:fs';
import { noSynchronousWritesFault } from './audit-file-fault.ts';

/**
 * Flags with which each descriptor is opened that records are appended to. With O_DSYNC a write returns when its bytes are durable, and what of the file's length is needed to read them ("synchronized I/O data
 * integrity completion", open(2)): as a write that fdatasync follows, for these bytes, in one call instead of two, and so in one turn of the thread pool for each group of records.
 * @param path the audit file, for the error
 * @param platform what `node:fs` says of the platform, where it lacks what there is not
 * @throws AuditUnavailableError where writes can't be synchronous: a record would be taken for durable that is not
 */
export function recordFlags(path: string, platform: { readonly O_DSYNC?: number } = constants): number {
  if (platform.O_DSYNC === undefined) throw noSynchronousWritesFault(path);
  return constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | platform.O_DSYNC;
}
