import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { SegmentReason } from '../record/segment.ts';
import type { ChainedRecord } from '../record/signed-record.ts';
import { type ExternalModification, modificationError, writeError } from './audit-file-error.ts';
import { type FileOperations, isSameFile, statOrNull, writeFully } from './file-operations.ts';
import type { OpenedChain } from './open-chain.ts';
import { type AuditWriterIdentity, beginSegment, type OpenSegment } from './open-segment.ts';
import { assertDiskSpace, quarantine, renameRotated, repairTail, saveCopy, truncateTo } from './recovery.ts';

/** Where the intact audit file was found; `moved`: another program renamed it. */
export type FileLocation = 'in place' | 'moved';

/** Why nothing can be written. */
interface WriteFailure {
  readonly kind: 'write-error' | 'moved' | ExternalModification;
  readonly error: AuditUnavailableError;
  /** Largest size the service's own writes can explain, bytes. */
  readonly reach: number;
}

class ExternalModificationError extends Error {
  readonly kind: ExternalModification;

  constructor(kind: ExternalModification) {
    super(kind);
    this.kind = kind;
  }
}

/**
 * The audit file and its chain. Calls must not overlap. A failure is latched until `recover` begins
 * a new file. A failed descriptor is never used again: the kernel may have dropped dirty pages and
 * would report success (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class AuditFile {
  readonly path: string;
  readonly #writer: AuditWriterIdentity;
  readonly #operations: FileOperations;
  readonly #onSegment: (first: ChainedRecord) => void;
  #segment: OpenSegment;
  #failure: WriteFailure | null = null;

  /** @param onSegment called with the first record of each new file */
  constructor(
    { path, segment }: Pick<OpenedChain, 'path' | 'segment'>,
    writer: AuditWriterIdentity,
    operations: FileOperations,
    onSegment: (first: ChainedRecord) => void,
  ) {
    this.path = path;
    this.#segment = segment;
    this.#writer = writer;
    this.#operations = operations;
    this.#onSegment = onSegment;
    if (segment.firstRecord !== null) onSegment(segment.firstRecord);
  }

  /** The last durable, signed record. */
  get head(): AuditHead {
    return this.#segment.head;
  }

  /** Bytes of the open segment. */
  get size(): number {
    return this.#segment.size;
  }

  /** Records of the open segment. */
  get records(): number {
    return this.#segment.head.seq - this.#segment.firstSeq + 1;
  }

  /** Start of the open segment, milliseconds since 1970. */
  get startedAt(): number {
    return this.#segment.startedAt;
  }

  /** Null while records can be written. */
  get failure(): WriteFailure | null {
    return this.#failure;
  }

  /**
   * Appends lines durably, and checks that the file is in place.
   * @param lines each with its newline
   * @param head the last of these records
   * @param onDurable called in the tick in which `head` moves
   * @returns `moved` when another program renamed the file
   * @throws AuditUnavailableError, latched, when the lines are not durable; or what `onDurable`
   * throws
   */
  async write(lines: string, head: AuditHead, onDurable: () => void): Promise<FileLocation> {
    const bytes = Buffer.from(lines);
    const size = this.#segment.size + bytes.length;
    let place: FileLocation;
    try {
      await writeFully(this.#segment.fd, bytes, this.#operations);
      place = await this.#locate(size);
    } catch (cause) {
      if (!(cause instanceof ExternalModificationError))
        await truncateTo(this.#segment, bytes.length, this.#operations);
      throw this.#latchFailure(cause, size);
    }
    this.#segment = { ...this.#segment, size, head };
    onDurable();
    return place;
  }

  /**
   * Checks that the file is in place and unchanged.
   * @throws AuditUnavailableError, latched
   */
  async check(): Promise<FileLocation> {
    try {
      return await this.#locate(this.#segment.size);
    } catch (cause) {
      throw this.#latchFailure(cause, this.#segment.size);
    }
  }

  /**
   * Begins the next file; renames the old one for its records.
   * @throws when that fails: either the old file continues, or `failure` is set
   */
  async continueInNewFile(reason: SegmentReason): Promise<void> {
    await renameRotated(this.path, this.#segment, this.#operations);
    try {
      // The check is some time ago, and the last descriptor is closed below.
      const found = await this.#findModification(this.#segment.size);
      if (found !== null) throw new ExternalModificationError(found);
      await this.#begin(reason);
    } catch (cause) {
      if (cause instanceof ExternalModificationError) throw this.#latchFailure(cause, this.#segment.size);
      throw this.#latch('moved', cause instanceof AuditUnavailableError ? cause : writeError(this.path, cause));
    }
  }

  /**
   * Tries to begin a new file after a failure.
   * @param isOrdered an operator accepts the loss
   * @returns whether records can be written again
   * @throws what prevents it
   */
  async recover(isOrdered: boolean): Promise<boolean> {
    if (this.#failure === null) return true;
    const kind = await this.#reassess(this.#failure);
    if (!(await this.#freePath(kind, isOrdered))) return false;
    await this.#begin(kind === 'moved' ? 'reopened' : kind);
    this.#failure = null;
    return true;
  }

  /**
   * Closes the file, but not the lock.
   * @throws the system's error when closing fails, or a removed file cannot be saved
   */
  async close(): Promise<void> {
    try {
      await this.#saveIfRemoved();
    } finally {
      await this.#operations.close(this.#segment.fd);
    }
  }

  #latch(kind: WriteFailure['kind'], error: AuditUnavailableError, reach = this.#segment.size): AuditUnavailableError {
    this.#failure = { kind, error, reach };
    return error;
  }

  #latchFailure(cause: unknown, reach: number): AuditUnavailableError {
    const { path } = this;
    if (cause instanceof ExternalModificationError)
      return this.#latch(cause.kind, modificationError(path, cause.kind), reach);
    return this.#latch('write-error', writeError(path, cause), reach);
  }

  /** Another program may have modified the file meanwhile; otherwise repairs it. */
  async #reassess({ kind, reach }: WriteFailure): Promise<WriteFailure['kind']> {
    if (kind === 'truncated' || kind === 'changed') return kind;
    const found = (await this.#findModification(reach)) ?? (kind === 'write-error' ? await this.#repair() : null);
    if (found === null) return kind;
    this.#latch(found, modificationError(this.path, found), reach);
    return found;
  }

  async #findModification(reach: number): Promise<ExternalModification | null> {
    const { nlink, size } = await this.#operations.fstat(this.#segment.fd);
    if (size < this.#segment.size) return 'truncated';
    if (nlink === 0) return 'removed';
    return size > reach ? 'changed' : null;
  }

  async #repair(): Promise<'changed' | null> {
    await assertDiskSpace(this.path, this.#operations);
    const isOwn = await repairTail(this.path, this.#segment, this.#writer.key.publicKey, this.#operations);
    return isOwn ? null : 'changed';
  }

  /** Saves the records and frees the path; false to wait for an operator. */
  async #freePath(kind: WriteFailure['kind'], isOrdered: boolean): Promise<boolean> {
    const segment = this.#segment;
    if (kind === 'write-error' || kind === 'moved') await renameRotated(this.path, this.#segment, this.#operations);
    await this.#saveIfRemoved();
    const isLost = kind === 'truncated' || kind === 'changed';
    if (!isLost && !isOrdered) return true;
    return quarantine(this.path, segment, isOrdered, this.#writer.clock.now(), this.#operations);
  }

  /** The last descriptor of a removed file still has its records. */
  async #saveIfRemoved(): Promise<void> {
    const { nlink, size } = await this.#operations.fstat(this.#segment.fd);
    if (nlink > 0 || size < this.#segment.size) return;
    await saveCopy(this.path, this.#segment, this.#operations);
  }

  async #begin(reason: SegmentReason): Promise<void> {
    const { fd, head } = this.#segment;
    // An operator may have changed mode or owner since.
    const access = await this.#operations.fstat(fd);
    const next = await beginSegment(this.path, reason, head, this.#writer, access, this.#operations);
    this.#segment = next;
    if (next.firstRecord !== null) this.#onSegment(next.firstRecord);
    await this.#operations.close(fd).catch(() => undefined);
  }

  async #locate(expectedSize: number): Promise<FileLocation> {
    const place = await locateFile(this.path, this.#segment, expectedSize, this.#operations);
    if (place === 'in place' || place === 'moved') return place;
    throw new ExternalModificationError(place);
  }
}

/**
 * Compares path and open file with the expected size, bytes.
 * @throws the system's error
 */
async function locateFile(
  path: string,
  segment: OpenSegment,
  expectedSize: number,
  operations: FileOperations,
): Promise<FileLocation | ExternalModification> {
  const found = await statOrNull(path, operations);
  if (found !== null && isSameFile(found, segment)) return compareSize(found.size, expectedSize) ?? 'in place';
  const own = await operations.fstat(segment.fd);
  if (own.nlink > 0) return compareSize(own.size, expectedSize) ?? 'moved';
  if (own.size < expectedSize) return 'truncated';
  return found === null || found.size === 0 ? 'removed' : 'changed';
}

function compareSize(found: number, expected: number): 'truncated' | 'changed' | null {
  if (found === expected) return null;
  return found < expected ? 'truncated' : 'changed';
}
