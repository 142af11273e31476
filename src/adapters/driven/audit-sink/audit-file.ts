import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import type { ChainedRecord } from '../../../audit-trail/signed-record.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { type Interference, interferenceFault, writeFault } from './audit-file-fault.ts';
import { type FileOperations, isSameFile, statIfThere, writeFully } from './file-operations.ts';
import type { OpenedChain } from './open-chain.ts';
import { type AuditWriterIdentity, beginSegment, type OpenSegment } from './open-segment.ts';
import { assertRoom, quarantine, renameRotated, repairTail, saveCopy, truncateTo } from './rescue.ts';

/** Where the audit file was found, whole. `moved`: under another name than its path. */
export type Place = 'in place' | 'moved';

/** Why nothing can be written at the moment. */
export interface Damage {
  readonly kind: 'write-error' | 'moved' | Interference;
  readonly error: AuditUnavailableError;
  /** Size up to which what is on the file can be the service's own, bytes. */
  readonly reach: number;
}

/** Another program did this to the file. */
class ExternalModificationError extends Error {
  readonly kind: Interference;

  constructor(kind: Interference) {
    super(kind);
    this.kind = kind;
  }
}

/**
 * The audit file and its chain. Calls must not overlap. What fails is latched as `damage`: nothing is written until `recover` has begun a new file. A write that returned
 * is durable (`recordFlags`); one that failed may have left bytes on the file, durable or not. Its descriptor is never written to or synced again, because the kernel may have dropped the pages that it could not
 * write and would report success (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class AuditFile {
  readonly path: string;
  readonly #writer: AuditWriterIdentity;
  readonly #operations: FileOperations;
  readonly #onSegment: (first: ChainedRecord) => void;
  #segment: OpenSegment;
  #damage: Damage | null = null;

  /** @param onSegment called with the first record of each file that this process begins */
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
    if (segment.begunWith !== null) onSegment(segment.begunWith);
  }

  /** The last durable record, which is signed. */
  get head(): ChainHead {
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

  /** When the open segment was begun, milliseconds since 1970. */
  get begunAt(): number {
    return this.#segment.begunAt;
  }

  /** Null while records can be written. */
  get damage(): Damage | null {
    return this.#damage;
  }

  /**
   * Appends lines, durably, and checks that the file is still in its place with nothing else on it.
   * @param lines each with its newline
   * @param head the last record on them
   * @param onDurable called in the very turn in which `head` moves
   * @returns where the file was found afterwards: `moved` when another program has renamed it, with
   * these lines on it
   * @throws AuditUnavailableError, which is latched, when the lines are not durable; they were
   * taken off the file as far as that was possible; or what `onDurable` throws, which is no damage
   */
  async write(lines: string, head: ChainHead, onDurable: () => void): Promise<Place> {
    const bytes = Buffer.from(lines);
    const size = this.#segment.size + bytes.length;
    let place: Place;
    try {
      await writeFully(this.#segment.fd, bytes, this.#operations);
      place = await this.#find(size);
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
   * Checks whether the file is in its place, as it was left.
   * @throws AuditUnavailableError, which is latched, when it is not whole, or when that can't be
   * found out
   */
  async check(): Promise<Place> {
    try {
      return await this.#find(this.#segment.size);
    } catch (cause) {
      throw this.#latchFailure(cause, this.#segment.size);
    }
  }

  /**
   * Begins the next file. The old one, when it is still under the path, gets the name that says which records are on it.
   * @throws when that fails; then either the old file goes on where it was, or there is `damage`
   */
  async continueInNewFile(reason: SegmentReason): Promise<void> {
    await renameRotated(this.path, this.#segment, this.#operations);
    try {
      // It may have been removed since it was looked at; the descriptor that still has it is closed now.
      const found = await this.#findInterference(this.#segment.size);
      if (found !== null) throw new ExternalModificationError(found);
      await this.#begin(reason);
    } catch (cause) {
      if (cause instanceof ExternalModificationError) throw this.#latchFailure(cause, this.#segment.size);
      throw this.#latch('moved', cause instanceof AuditUnavailableError ? cause : writeFault(this.path, cause));
    }
  }

  /**
   * Tries to begin a new file after damage.
   * @param isOrdered an operator knows of the damage, and wants to go on whatever is lost
   * @returns whether records can be written again
   * @throws what stood in the way
   */
  async recover(isOrdered: boolean): Promise<boolean> {
    if (this.#damage === null) return true;
    const kind = await this.#reassess(this.#damage);
    if (!(await this.#freePath(kind, isOrdered))) return false;
    await this.#begin(kind === 'moved' ? 'reopened' : kind);
    this.#damage = null;
    return true;
  }

  /**
   * Closes the file; the lock of the one writer stays.
   * @throws the system's error when the file does not close cleanly, or was removed and can't be
   * saved; it is closed nevertheless
   */
  async close(): Promise<void> {
    try {
      await this.#saveIfRemoved();
    } finally {
      await this.#operations.close(this.#segment.fd);
    }
  }

  #latch(kind: Damage['kind'], error: AuditUnavailableError, reach = this.#segment.size): AuditUnavailableError {
    this.#damage = { kind, error, reach };
    return error;
  }

  #latchFailure(cause: unknown, reach: number): AuditUnavailableError {
    const { path } = this;
    if (cause instanceof ExternalModificationError)
      return this.#latch(cause.kind, interferenceFault(path, cause.kind), reach);
    return this.#latch('write-error', writeFault(path, cause), reach);
  }

  /** Meanwhile somebody may have removed, truncated or added to what could not be written before; else it is repaired. */
  async #reassess({ kind, reach }: Damage): Promise<Damage['kind']> {
    if (kind === 'truncated' || kind === 'changed') return kind;
    const found = (await this.#findInterference(reach)) ?? (kind === 'write-error' ? await this.#repair() : null);
    if (found === null) return kind;
    this.#latch(found, interferenceFault(this.path, found), reach);
    return found;
  }

  async #findInterference(reach: number): Promise<Interference | null> {
    const { nlink, size } = await this.#operations.fstat(this.#segment.fd);
    if (size < this.#segment.size) return 'truncated';
    if (nlink === 0) return 'removed';
    return size > reach ? 'changed' : null;
  }

  async #repair(): Promise<'changed' | null> {
    await assertRoom(this.path, this.#operations);
    const isOwn = await repairTail(this.path, this.#segment, this.#writer.key.publicKey, this.#operations);
    return isOwn ? null : 'changed';
  }

  /** Saves what can be saved, and frees the path; false when that has to wait for an operator. */
  async #freePath(kind: Damage['kind'], isOrdered: boolean): Promise<boolean> {
    const segment = this.#segment;
    if (kind === 'write-error' || kind === 'moved') await renameRotated(this.path, this.#segment, this.#operations);
    await this.#saveIfRemoved();
    const isLost = kind === 'truncated' || kind === 'changed';
    if (!isLost && !isOrdered) return true;
    return quarantine(this.path, segment, isOrdered, this.#writer.clock.now(), this.#operations);
  }

  /** The last descriptor of a removed file has its records, as long as it is open. */
  async #saveIfRemoved(): Promise<void> {
    const { nlink, size } = await this.#operations.fstat(this.#segment.fd);
    if (nlink > 0 || size < this.#segment.size) return;
    await saveCopy(this.path, this.#segment, this.#operations);
  }

  async #begin(reason: SegmentReason): Promise<void> {
    const { fd, head } = this.#segment;
    // As an operator may have set them since it was opened.
    const access = await this.#operations.fstat(fd);
    const next = await beginSegment(this.path, reason, head, this.#writer, access, this.#operations);
    this.#segment = next;
    if (next.begunWith !== null) this.#onSegment(next.begunWith);
    await this.#operations.close(fd).catch(() => undefined);
  }

  async #find(expectedSize: number): Promise<Place> {
    const place = await findPlace(this.path, this.#segment, expectedSize, this.#operations);
    if (place === 'in place' || place === 'moved') return place;
    throw new ExternalModificationError(place);
  }
}

/**
 * Looks what lies under the path of the audit file, and whether the open file has the size that it
 * should have, bytes.
 * @throws the system's error when that can't be found out
 */
async function findPlace(
  path: string,
  segment: OpenSegment,
  expectedSize: number,
  operations: FileOperations,
): Promise<Place | Interference> {
  const found = await statIfThere(path, operations);
  if (found !== null && isSameFile(found, segment)) return compareSize(found.size, expectedSize) ?? 'in place';
  const own = await operations.fstat(segment.fd);
  if (own.nlink > 0) return compareSize(own.size, expectedSize) ?? 'moved';
  if (own.size < expectedSize) return 'truncated';
  return found === null || found.size === 0 ? 'removed' : 'changed';
}

/** Null when there is no difference. */
function compareSize(found: number, expected: number): 'truncated' | 'changed' | null {
  if (found === expected) return null;
  return found < expected ? 'truncated' : 'changed';
}
