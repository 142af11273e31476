import { constants, existsSync, fstatSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { recoveredPath, segmentPath } from '../segments/segment-names.ts';
import type { Modification } from './audit-errors.ts';
import {
  copyBytes,
  FILE_MODE,
  type FileAccess,
  type FileIdentity,
  type FileSystem,
  isSameFile,
  lstatOrNull,
  openTemporary,
  RECORD_FLAGS,
  syncPath,
  takeLock,
  takeOver,
  writeFully,
} from './file-system.ts';

/** Attempts at a name; more files in the way are an error. */
const MAX_ATTEMPTS = 99;

interface SegmentFacts {
  readonly auditFile: string;
  readonly path: string;
  readonly firstSeq: number;
  /** When its first record was made, milliseconds since 1970; null before it. */
  readonly startedAt: number | null;
  /** Bytes of acknowledged records. */
  readonly size: number;
}

/**
 * The segment that records are appended to. Its descriptor is never used again after a failed
 * write: the kernel may have dropped dirty pages and would report success
 * (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class OpenSegment {
  readonly path: string;
  /** Number of its first record. */
  readonly firstSeq: number;
  readonly #auditFile: string;
  readonly #handle: FileHandle;
  readonly #fileSystem: FileSystem;
  readonly #identity: FileIdentity;
  /** As the kernel names it: without symbolic links. */
  readonly #openedAs: string;
  #startedAt: number | null;
  #size: number;
  /** Bytes appended after them, not yet acknowledged. */
  #appended = 0;
  /** Whether it was saved as `<segment>.recovered`. */
  #isSaved = false;

  private constructor(handle: FileHandle, facts: SegmentFacts, fileSystem: FileSystem) {
    const { auditFile, path, firstSeq, startedAt, size } = facts;
    this.path = path;
    this.firstSeq = firstSeq;
    this.#auditFile = auditFile;
    this.#handle = handle;
    this.#fileSystem = fileSystem;
    this.#identity = fstatSync(handle.fd);
    this.#openedAs = readlinkSync(this.#procPath);
    this.#startedAt = startedAt;
    this.#size = size;
  }

  /**
   * Creates the segment of the record after `head`, without it: durable in its folder, locked. A
   * file of another program is left alone, and the segment gets the next name.
   * @param access of the segment before
   * @param onTaken called with each name that another program's file has
   * @throws the system's error
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
      const handle = await openNew(path, fileSystem);
      if (handle === null) {
        onTaken(path);
        continue;
      }
      try {
        takeLock(handle, path);
        if (access !== null) await takeOver(handle, access);
        await syncPath(dirname(path), fileSystem);
        return new OpenSegment(handle, { auditFile, path, firstSeq, startedAt: null, size: 0 }, fileSystem);
      } catch (error) {
        await discardFile(handle, path, fileSystem);
        throw error;
      }
    }
    throw new Error(`files of other programs have all names of ${segmentPath(auditFile, firstSeq)}; move them away`);
  }

  /**
   * Opens a segment to continue it: durable up to `size`, locked.
   * @throws AuditUnavailableError when another process writes it; the system's error
   */
  static async continue(facts: SegmentFacts, fileSystem: FileSystem): Promise<OpenSegment> {
    const { path } = facts;
    const handle = await fileSystem.open(path, RECORD_FLAGS);
    try {
      takeLock(handle, path);
      // A killed process may have left bytes in the page cache, which later writes do not sync.
      await handle.datasync();
      return new OpenSegment(handle, facts, fileSystem);
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /** Whether a path leads to this file. @throws the system's error */
  async hasName(path: string): Promise<boolean> {
    const found = await lstatOrNull(path, this.#fileSystem);
    return found !== null && isSameFile(found, this.#identity);
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
   * Appends lines durably, and checks that its path still leads to this file, with nothing else in
   * it.
   * @returns what another program did to it: the lines then count as not written
   * @throws the system's error
   */
  async append(lines: string): Promise<Modification | null> {
    const bytes = Buffer.from(lines);
    this.#appended = bytes.length;
    await writeFully(this.#handle, bytes);
    const modification = this.#compareSize(this.#size + bytes.length);
    // What is in it now is evidence, and never removed.
    if (modification !== null) this.#appended = 0;
    return modification ?? this.#findPlace();
  }

  /** Acknowledges the appended lines. @param now milliseconds since 1970 */
  acknowledge(now: number): void {
    this.#startedAt ??= now;
    this.#size += this.#appended;
    this.#appended = 0;
  }

  /** Finds what another program did to the segment. */
  check(): Modification | null {
    return this.#compareSize(this.#size, this.#appended) ?? this.#findPlace();
  }

  /**
   * Removes what was appended and not acknowledged. If the segment was removed or replaced, saves
   * it as `<segment>.recovered`, all or nothing.
   * @throws the system's error
   */
  async prepareToLeave(): Promise<void> {
    const isWhole = this.#compareSize(this.#size, this.#appended) === null;
    if (isWhole) await this.#truncate();
    const place = this.#findPlace();
    const isLost = (place === 'removed' || place === 'changed') && this.#compareSize(this.#size) !== 'truncated';
    if (this.#isSaved || !isLost || this.#size === 0) return;
    const target = await this.#findFreeName();
    if (isWhole && (await this.hasName(this.#auditFile))) await this.#fileSystem.link(this.#auditFile, target);
    else await this.#copyTo(target);
    this.#isSaved = true;
    await syncPath(dirname(target), this.#fileSystem);
  }

  /** Closes and removes a segment that could not be begun. */
  discard(): Promise<void> {
    return discardFile(this.#handle, this.path, this.#fileSystem);
  }

  /** Owner and mode, which an operator may have changed. */
  access(): Promise<FileAccess> {
    return this.#handle.stat();
  }

  /** @throws the system's error */
  close(): Promise<void> {
    return this.#handle.close();
  }

  /** The open file itself (proc_pid_fd(5)), wherever it is. */
  get #procPath(): string {
    return `/proc/self/fd/${this.#handle.fd}`;
  }

  /** What happened to its path. Synchronous: the kernel has it in memory. */
  #findPlace(): Modification | null {
    const found = readlinkSync(this.#procPath);
    if (found === this.#openedAs) return null;
    if (!found.endsWith(' (deleted)')) return 'moved';
    return existsSync(this.path) ? 'changed' : 'removed';
  }

  /** Synchronous: the kernel has the size. @param more bytes of a failed write that may be there */
  #compareSize(expected: number, more = 0): Modification | null {
    const { size } = fstatSync(this.#handle.fd);
    if (size < expected) return 'truncated';
    return size > expected + more ? 'changed' : null;
  }

  /** Through a new descriptor: this one may have failed. */
  async #truncate(): Promise<void> {
    if (this.#appended === 0) return;
    const handle = await this.#fileSystem.open(this.#procPath, constants.O_RDWR);
    try {
      await handle.truncate(this.#size);
      await handle.sync();
      this.#appended = 0;
    } finally {
      await handle.close();
    }
  }

  /** Other programs' files are left alone, as by {@link create}. */
  async #findFreeName(): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const path = recoveredPath(segmentPath(this.#auditFile, this.firstSeq, attempt));
      if ((await lstatOrNull(path, this.#fileSystem)) === null) return path;
    }
  }

  async #copyTo(target: string): Promise<void> {
    const temporary = `${target}.tmp`;
    const handle = await openTemporary(temporary, this.#fileSystem);
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

/** Closes and removes a file without a record: to operators it would be the newest segment. */
async function discardFile(handle: FileHandle, path: string, fileSystem: FileSystem): Promise<void> {
  await handle.truncate(0).catch(() => undefined);
  await fileSystem.unlink(path).catch(() => undefined);
  await handle.close().catch(() => undefined);
}

/** Null when the name is taken. @throws any other error of the system */
async function openNew(path: string, fileSystem: FileSystem): Promise<FileHandle | null> {
  try {
    return await fileSystem.open(path, RECORD_FLAGS | constants.O_CREAT | constants.O_EXCL, FILE_MODE);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return null;
    throw error;
  }
}
