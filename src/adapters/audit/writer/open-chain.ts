import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { FORMAT_VERSION } from '../../../domain/model/audit-entry.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createFolders } from '../../files/folders.ts';
import { formatRecords } from '../record/chain-verifier.ts';
import { readRecord } from '../record/read-record.ts';
import type { SegmentReason } from '../record/segment.ts';
import { type AuditSigningKey, EMPTY_CHAIN } from '../record/signed-record.ts';
import { withSegment } from '../segments/segment-reader.ts';
import { continuedError, lostRecordsError, openError, tornFileError } from './audit-errors.ts';
import { type ChainEnd, findChainEnd, type LastSegment, type UnsignedTail } from './chain-end.ts';
import { copyBytes, FILE_MODE, type FileSystem, syncPath, takeLock } from './file-system.ts';
import { OpenSegment } from './open-segment.ts';

const FOLDER_MODE = 0o700;
const LOCK_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
/** Neither follows a link nor blocks on a pipe. */
const TORN_FLAGS =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const READ_WRITE = constants.O_RDWR | constants.O_NOFOLLOW;

/** The writer of a chain, as named in its records. */
export interface AuditWriterIdentity {
  readonly key: AuditSigningKey;
  readonly instanceId: string;
  readonly clock: Clock;
}

/** A record known to be written, from a file beside the audit file. */
export interface ReachedRecord extends AuditHead {
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
}

/** A chain ready for appending. */
export interface OpenedChain {
  /** Absolute path of the audit file. */
  readonly auditFile: string;
  /** Holds the writer's lock until it is closed. */
  readonly lock: FileHandle;
  readonly segment: OpenSegment;
  /** The last record. */
  readonly head: AuditHead;
  /**
   * Why a segment has to begin: in `segment` if that is empty, else in the next one. Null: none.
   */
  readonly begin: SegmentReason | null;
  /** What followed the last signed record and was moved to `<file>.torn`. */
  readonly unsignedTails: readonly UnsignedTail[];
}

interface OpenChainOptions {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  readonly fileSystem: FileSystem;
  /** Finds the record that the chain must reach, or null; under the lock. */
  readonly findReached: () => Promise<ReachedRecord | null>;
}

/**
 * Opens the chain of an audit file after its last signed record. Unsigned bytes are moved aside
 * after a crash, and an error after a graceful shutdown.
 * @throws AuditUnavailableError that names the file, the setting and what to do
 */
export async function openChain(options: OpenChainOptions): Promise<OpenedChain> {
  const auditFile = resolve(options.file);
  const { fileSystem } = options;
  let lock: FileHandle | null = null;
  try {
    await makeFolder(dirname(auditFile), fileSystem);
    lock = await fileSystem.open(`${auditFile}.lock`, LOCK_FLAGS, FILE_MODE);
    takeLock(lock, auditFile);
    // The previous writer notes its last record under the lock.
    const reached = await options.findReached();
    const end = await findChainEnd(auditFile);
    if (reached !== null) await assertReached(auditFile, end, reached, options.writer.key.publicKey);
    for (const tail of end.unsignedTails) await moveTail(tail, `${auditFile}.torn`, fileSystem);
    return { auditFile, lock, ...(await openNewest(auditFile, end, reached, options)) };
  } catch (error) {
    await lock?.close().catch(() => undefined);
    throw openError(auditFile, error);
  }
}

/** Continues the newest segment, or one that was begun in vain; otherwise creates the next. */
async function openNewest(
  auditFile: string,
  { segments, last, unsignedTails }: ChainEnd,
  reached: ReachedRecord | null,
  { writer, fileSystem }: OpenChainOptions,
): Promise<Omit<OpenedChain, 'auditFile' | 'lock'>> {
  // Without a segment, all were moved away while the service was stopped.
  const head = last?.head ?? { seq: reached?.seq ?? EMPTY_CHAIN.seq, hash: reached?.hash ?? EMPTY_CHAIN.hash };
  const path = segments.findLast(({ firstSeq }) => firstSeq === head.seq + 1)?.path;
  if (last !== null && path === undefined && last.segment.form === 'plain') {
    const { segment, first, publicKey, size } = last;
    const facts = { auditFile, path: segment.path, firstSeq: first.seq, startedAt: Date.parse(first.time), size };
    const begin = publicKey.equals(writer.key.publicKey) ? null : 'key';
    return { segment: await OpenSegment.continue(facts, fileSystem), head, begin, unsignedTails };
  }
  const begun = { auditFile, firstSeq: head.seq + 1, startedAt: null, size: 0 };
  // A killed process may have left it in the page cache.
  if (last !== null) await syncPath(last.segment.path, fileSystem);
  const access = last === null ? null : await fileSystem.lstat(last.segment.path);
  const segment =
    path === undefined
      ? await OpenSegment.create(auditFile, head, access, () => undefined, fileSystem)
      : await OpenSegment.continue({ ...begun, path }, fileSystem);
  return { segment, head, begin: toReason(last, reached), unsignedTails };
}

/** Why the next segment begins at a start. */
function toReason(last: LastSegment | null, reached: ReachedRecord | null): SegmentReason {
  if (last === null) return reached === null ? 'first' : 'missing';
  return last.segment.form === 'recovered' ? 'removed' : 'reopened';
}

/**
 * Checks that a chain contains the record that the last writer noted, and after a graceful shutdown
 * that nobody else continued it.
 * @param ownKey the service's audit public key, 32 bytes
 * @throws AuditUnavailableError otherwise
 */
async function assertReached(
  auditFile: string,
  end: ChainEnd,
  reached: ReachedRecord,
  ownKey: Uint8Array,
): Promise<void> {
  const { last, unsignedTails } = end;
  const [added] = unsignedTails;
  const { seq } = last?.head ?? EMPTY_CHAIN;
  if (last === null && reached.closed && added === undefined) return;
  if (last === null || reached.seq > seq) {
    const found = seq === 0 ? 'have no records' : `end with record ${seq}`;
    const what = `The files of the audit file ${auditFile} ${found}, but record ${reached.seq} was written: records are missing.`;
    throw lostRecordsError(auditFile, what, reached.closed);
  }
  if (reached.closed && added !== undefined) throw addedError(auditFile, reached.seq, added);
  if (!reached.closed && reached.seq < seq) return;
  if ((await findHash(end, reached.seq)) !== reached.hash) {
    const what = `Record ${reached.seq} of the audit file ${auditFile} differs from the one that was written: the file was replaced.`;
    throw lostRecordsError(auditFile, what, reached.closed);
  }
  if (reached.seq === seq || last.publicKey.equals(ownKey)) return;
  const how = ", with records signed by an audit key other than this service's (SIGNING_AUDIT_KEY_FILE)";
  const remedy = `If you changed the key more than once since then, move ${auditFile}.usage to another folder and start again.`;
  throw continuedError(last.segment.path, reached.seq, how, remedy);
}

function addedError(auditFile: string, known: number, { segment, records, firstRecord }: UnsignedTail) {
  const added = records === 0 ? 'an incomplete line was' : formatRecords(firstRecord, firstRecord + records - 1, 'was');
  const remedy = `To continue without the additions, move ${auditFile}.usage to another folder and start again: the additions are then moved to ${auditFile}.torn.`;
  return continuedError(segment.path, known, `: ${added} added since then by another program`, remedy);
}

/** Hash of a record of the chain; null when it is in no segment. */
async function findHash({ segments, last }: ChainEnd, seq: number): Promise<string | null> {
  if (last === null || last.head.seq === seq) return last?.head.hash ?? null;
  const start = `{"v":${FORMAT_VERSION},"seq":${seq},`;
  const segment = segments.findLast(({ firstSeq }) => firstSeq <= seq);
  if (segment === undefined) return null;
  return withSegment(segment, async (reader) => {
    for await (const { lines } of reader.lines()) {
      const record = readRecord(lines.find(({ text }) => text?.startsWith(start))?.text ?? null);
      if (!('issue' in record)) return record.hash;
    }
    return null;
  });
}

/**
 * Moves the end of a segment to the file for unsigned bytes, durably.
 * @throws AuditUnavailableError when another process writes the segment, or that file cannot be
 * opened; the system's error
 */
async function moveTail({ segment, offset, bytes }: UnsignedTail, tornFile: string, fileSystem: FileSystem) {
  const handle = await fileSystem.open(segment.path, READ_WRITE);
  try {
    takeLock(handle, segment.path);
    const torn = await fileSystem.open(tornFile, TORN_FLAGS, FILE_MODE).catch((cause: unknown) => {
      throw tornFileError(tornFile, cause);
    });
    try {
      await copyBytes(handle, torn, offset, offset + bytes);
    } finally {
      await torn.close();
    }
    await syncPath(dirname(tornFile), fileSystem);
    await handle.truncate(offset);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A new folder is durable once its parent is synced. */
async function makeFolder(folder: string, fileSystem: FileSystem): Promise<void> {
  for (const made of createFolders(folder, FOLDER_MODE)) await syncPath(dirname(made), fileSystem);
}
