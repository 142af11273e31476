import { constants, fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { readRecord } from '../record/read-record.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';
import { recoveredPath, segmentPath } from '../segments/segment-names.ts';
import { lockedError, type Modification } from './audit-errors.ts';
import { readsLikeRecord } from './chain-end.ts';
import { currentNames } from './current-name.ts';
import {
  copyBytes,
  type FileIdentity,
  type FileSystem,
  isSameFile,
  lstatOrNull,
  readUpTo,
  recordFlags,
  syncFolder,
  tryLock,
  writeFully,
} from './file-system.ts';

const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;
const NEWLINE = 0x0a;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
/** Attempts at a name; more files in the way are an error. */
const MAX_ATTEMPTS = 99;
/** Error codes of a file that cannot be a segment: link, folder, pipe, another user's. */
const FOREIGN: readonly string[] = ['ELOOP', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM'];

/** Owner and mode, inherited by the next segment. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

interface SegmentFacts extends FileIdentity {
  readonly auditFile: string;
  readonly path: string;
  readonly firstSeq: number;
  /** When its first record was made, milliseconds since 1970; null before it. */
  readonly startedAt: number | null;
  /** Bytes of acknowledged records. */
  readonly size: number;
}

/**
 * The segment that records are appended to. Its descriptor is never used again after a failed write:
 * the kernel may have dropped dirty pages and would report success
 * (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class OpenSegment {
  readonly path: string;
  /** Number of its first record. */
  readonly firstSeq: number;
  readonly #auditFile: string;
  readonly #identity: FileIdentity;
  readonly #handle: FileHandle;
  readonly #fileSystem: FileSystem;
  #startedAt: number | null;
  #size: number;
  /** Bytes appended after them, not yet acknowledged. */
  #appended = 0;
  /** Whether it was saved as `<segment>.recovered`. */
  #isSaved = false;

  private constructor(handle: FileHandle, facts: SegmentFacts, fileSystem: FileSystem) {
    const { auditFile, path, firstSeq, startedAt, size, dev, ino } = facts;
    this.path = path;
    this.firstSeq = firstSeq;
    this.#auditFile = auditFile;
    this.#identity = { dev, ino };
    this.#handle = handle;
    this.#fileSystem = fileSystem;
    this.#startedAt = startedAt;
    this.#size = size;
  }

  /**
   * Creates the segment of the record after `head`, without it: durable in its folder, locked. A
   * segment that was begun in vain is begun again. A file of another program is left alone, and
   * the segment gets the next name.
   * @param access of the segment before
   * @param onTaken called with each name that another program's file has
   * @throws AuditUnavailableError when another process writes it; the system's error
   */
  static async create(
    auditFile: string,
    head: AuditHead,
    access: FileAccess | null,
    onTaken: (path: string) => void,
    fileSystem: FileSystem,
  ): Promise<OpenSegment> {
    const firstSeq = head.seq + 1;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const path = segmentPath(auditFile, firstSeq, attempt);
      const handle = await openUnused(path, head, fileSystem);
      if (handle === null) {
        onTaken(path);
        continue;
      }
      return closeOnError(handle, async () => {
        try {
          if (access !== null) await takeOver(handle, access);
          await syncFolder(dirname(path), fileSystem);
          const { dev, ino } = await handle.stat();
          return new OpenSegment(handle, { auditFile, path, firstSeq, startedAt: null, size: 0, dev, ino }, fileSystem);
        } catch (error) {
          // To operators it would be the newest segment.
          await fileSystem.unlink(path).catch(() => undefined);
          throw error;
        }
      });
    }
    throw new Error(`files of other programs have all names of ${segmentPath(auditFile, firstSeq)}; move them away`);
  }

  /**
   * Opens a segment to continue it: durable up to `size`, locked.
   * @param size end of its last signed record, bytes
   * @param startedAt milliseconds since 1970
   * @throws AuditUnavailableError when another process writes it; the system's error
   */
  static async continue(facts: Omit<SegmentFacts, 'dev' | 'ino'>, fileSystem: FileSystem): Promise<OpenSegment> {
    const { path } = facts;
    const handle = await fileSystem.open(path, recordFlags(path));
    return closeOnError(handle, async () => {
      if (!tryLock(handle)) throw lockedError(path);
      // A killed process may have left bytes in the page cache, which later writes do not sync.
      await handle.datasync();
      const { dev, ino } = await handle.stat();
      return new OpenSegment(handle, { ...facts, dev, ino }, fileSystem);
    });
  }

  /** Whether this is its file, whatever the path. */
  isFile(file: FileIdentity): boolean {
    return isSameFile(file, this.#identity);
  }

  /** When its first record was acknowledged, milliseconds since 1970; null before it. */
  get startedAt(): number | null {
    return this.#startedAt;
  }

  /** Bytes of acknowledged records. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends lines durably. Beside the write it checks that the path leads to this file, and then
   * that nothing else was added or removed.
   * @returns what another program did to it: the lines then count as not written
   * @throws the system's error, of the write or of the check
   */
  async append(lines: string): Promise<Modification | null> {
    const bytes = Buffer.from(lines);
    this.#appended = bytes.length;
    // Both end before a failure is handled.
    const [written, place] = await Promise.allSettled([writeFully(this.#handle, bytes), this.#findPlace()]);
    if (written.status === 'rejected') throw written.reason;
    if (place.status === 'rejected') throw place.reason;
    const modification = this.#compareSize(this.#size + bytes.length);
    // What is in it now is evidence, and never removed.
    if (modification !== null) this.#appended = 0;
    return modification ?? place.value;
  }

  /** Acknowledges the appended lines. @param now milliseconds since 1970 */
  acknowledge(now: number): void {
    this.#startedAt ??= now;
    this.#size += this.#appended;
    this.#appended = 0;
  }

  /** Finds what another program did to the segment. @throws the system's error */
  async check(): Promise<Modification | null> {
    const place = await this.#findPlace();
    return this.#compareSize(this.#size) ?? place;
  }

  /**
   * After a failed write: removes what was appended and not acknowledged.
   * @returns what another program did to the segment, which is then left alone
   * @throws the system's error
   */
  async discardAppended(): Promise<Modification | null> {
    const modification = this.#compareSize(this.#size, this.#appended) ?? (await this.#findPlace());
    if (modification === null) await this.#truncate();
    return modification;
  }

  /**
   * Before the segment is left: removes what was appended and not acknowledged. If it is gone from
   * its path, saves it as `<segment>.recovered`, all or nothing, unless another name than the audit
   * file's leads to it.
   * @throws the system's error
   */
  async prepareToLeave(): Promise<void> {
    const isOwn = this.#compareSize(this.#size, this.#appended) === null;
    if (isOwn) await this.#truncate();
    if (isSameFile(await lstatOrNull(this.path, this.#fileSystem), this.#identity)) return;
    const { size, nlink } = await this.#handle.stat();
    const names = await this.#currentNames();
    const isLost = nlink === names.length && size >= this.#size && this.#size > 0;
    if (this.#isSaved || !isLost) return;
    const target = recoveredPath(this.path);
    if ((await lstatOrNull(target, this.#fileSystem)) !== null)
      throw new Error(`${target} already exists; move it away`);
    const [name] = names;
    if (isOwn && name !== undefined) await this.#fileSystem.link(name, target);
    else await this.#copyTo(target);
    this.#isSaved = true;
    await syncFolder(dirname(target), this.#fileSystem);
  }

  /** Owner and mode, which an operator may have changed. */
  access(): Promise<FileAccess> {
    return this.#handle.stat();
  }

  /** @throws the system's error */
  close(): Promise<void> {
    return this.#handle.close();
  }

  /** Whether the path leads to this file; null if it does. */
  async #findPlace(): Promise<Modification | null> {
    const found = await lstatOrNull(this.path, this.#fileSystem);
    if (isSameFile(found, this.#identity)) return null;
    if (found !== null) return 'changed';
    const { nlink } = await this.#handle.stat();
    return nlink > (await this.#currentNames()).length ? 'moved' : 'removed';
  }

  /** @param more bytes that may be there or not. A synchronous call: the kernel has the size in memory. */
  #compareSize(expected: number, more = 0): Modification | null {
    const { size } = fstatSync(this.#handle.fd);
    if (size < expected) return 'truncated';
    return size > expected + more ? 'changed' : null;
  }

  /** Removes what was appended and not acknowledged, wherever the file is now. */
  async #truncate(): Promise<void> {
    if (this.#appended === 0) return;
    // Opens the same file anew (proc_pid_fd(5)): the descriptor may have failed.
    const handle = await this.#fileSystem.open(`/proc/self/fd/${this.#handle.fd}`, constants.O_RDWR);
    try {
      await handle.truncate(this.#size);
      await handle.sync();
      this.#appended = 0;
    } finally {
      await handle.close();
    }
  }

  /** Names of the audit file that lead to this file. */
  async #currentNames(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of currentNames(this.#auditFile))
      if (isSameFile(await lstatOrNull(name, this.#fileSystem), this.#identity)) names.push(name);
    return names;
  }

  async #copyTo(target: string): Promise<void> {
    const temporary = `${target}.tmp`;
    const handle = await this.#fileSystem.open(temporary, NEW_FILE, FILE_MODE);
    try {
      await takeOver(handle, await this.access());
      await copyBytes(this.#handle, handle, 0, this.#size);
      await this.#fileSystem.rename(temporary, target);
    } catch (error) {
      await this.#fileSystem.unlink(temporary).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }
}

/**
 * An empty file at the path, locked, or null when another program's file has it.
 * @throws AuditUnavailableError when another process writes it; the system's error
 */
async function openUnused(path: string, head: AuditHead, fileSystem: FileSystem): Promise<FileHandle | null> {
  const flags = recordFlags(path);
  const created = await openUnless(['EEXIST'], () =>
    fileSystem.open(path, flags | constants.O_CREAT | constants.O_EXCL, FILE_MODE),
  );
  const handle = created ?? (await openUnless(FOREIGN, () => fileSystem.open(path, flags)));
  if (handle === null) return null;
  return closeOnError(handle, async () => {
    // Before a look at the content: another service may be writing it.
    if (!tryLock(handle)) throw lockedError(path);
    if (created !== null) return handle;
    if (await wasBegunInVain(handle, head)) {
      await handle.truncate(0);
      return handle;
    }
    await handle.close();
    return null;
  });
}

/** Null for an error with one of these codes. @throws any other */
async function openUnless(codes: readonly string[], open: () => Promise<FileHandle>): Promise<FileHandle | null> {
  return open().catch((error: unknown) => {
    if (codes.includes(systemErrorCode(error))) return null;
    throw error;
  });
}

/** Whether a file is empty, or has no more than the first record after `head`, which never counted. */
async function wasBegunInVain(handle: FileHandle, head: AuditHead): Promise<boolean> {
  const stats = await handle.stat();
  if (!stats.isFile() || stats.size > MAX_LINE_BYTES) return false;
  const text = await readUpTo(handle, 0, stats.size);
  const end = text.indexOf(NEWLINE);
  if (end === -1) return readsLikeRecord(text);
  const record = readRecord(text.toString('utf8', 0, end));
  return (
    end === text.length - 1 && !('issue' in record) && record.seq === head.seq + 1 && record.prevHash === head.hash
  );
}

/** Auditors keep access. Changing the owner requires root, and may fail. */
async function takeOver(handle: FileHandle, { mode, uid, gid }: FileAccess): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & PERMISSIONS);
}

async function closeOnError<Result>(handle: FileHandle, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}
