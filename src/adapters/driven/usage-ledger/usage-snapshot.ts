import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncFolder } from '../../../files/sync-folder.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import { parseSnapshot, snapshotSlices, type UsageSnapshot } from './snapshot-text.ts';

/** Why what stands at the snapshot's place can't be used. */
export interface SnapshotFault {
  /** Completes a sentence that begins with the file's path. */
  readonly fault: string;
}

const OWNER_ONLY = 0o600;
/** Neither follows a link nor waits for a pipe. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Some seven times what 100,000 accounts with the longest ids take. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Where the counters of an audit file are noted down: beside it, with `.usage` behind its name. */
export function snapshotPath(auditFile: string): string {
  return `${resolve(auditFile)}.usage`;
}

/**
 * Reads the snapshot beside an audit file. It can be made anew from the records, so that a damaged one is no error, but a fault to be told of.
 * @returns null when there is none
 */
export async function readSnapshot(auditFile: string): Promise<UsageSnapshot | SnapshotFault | null> {
  try {
    return parseSnapshot(await readText(snapshotPath(auditFile))) ?? { fault: 'is damaged' };
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' ? null : { fault: `can not be read (${code})` };
  }
}

/**
 * Replaces the snapshot beside an audit file: readers see the old one or the new, whole, also after a crash or power failure. It is on disk when this resolves; only the
 * service's user can read it. Between slices of 1,000 accounts others get their turn of the event loop.
 *
 * It is written to `<file>.usage.tmp` first; whoever writes the audit file is the only one to call this, and not twice at once.
 * @throws the error of the operating system when it can't be written; the old one stands then
 */
export async function writeSnapshot(auditFile: string, snapshot: UsageSnapshot): Promise<void> {
  const file = snapshotPath(auditFile);
  const temporary = `${file}.tmp`;
  try {
    await writeNew(temporary, snapshotSlices(snapshot));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

async function writeNew(file: string, slices: Iterable<string>): Promise<void> {
  // What a killed process left there.
  await rm(file, { force: true });
  const handle = await open(file, 'wx', OWNER_ONLY);
  try {
    for (const slice of slices) await handle.writeFile(slice);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readText(file: string): Promise<string> {
  const handle = await open(file, READ_FLAGS);
  try {
    const status = await handle.stat();
    return status.isFile() && status.size <= MAX_FILE_BYTES ? await handle.readFile('utf8') : '';
  } finally {
    await handle.close();
  }
}
