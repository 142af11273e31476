import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { type Interference, interferenceFault, writeFault } from './audit-file-fault.ts';
import { ChainDraft, type Scribe } from './chain-writer.ts';
import type { FileOperations } from './file-operations.ts';
import { findPlace, type Place } from './file-place.ts';
import { writeFully } from './full-transfer.ts';
import { LineBuffer } from './line-buffer.ts';
import type { OpenedChain } from './open-chain.ts';
import { assertRoom, cutBack, repairTail, saveCopy, setAside, stepAside } from './rescue.ts';
import { beginSegment, type OpenSegment } from './segment-writer.ts';

/** Why nothing can be written at the moment. */
export interface Damage {
  readonly kind: 'write-error' | 'moved' | Interference;
  readonly error: AuditUnavailableError;
  /** Size up to which what is on the file can be the service's own, bytes. */
  readonly reach: number;
}

/** Another program did this to the file. */
class Interfered extends Error {
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
  readonly #scribe: Scribe;
  readonly #operations: FileOperations;
  readonly #lines = new LineBuffer();
  #segment: OpenSegment;
  #damage: Damage | null = null;

  constructor({ path, segment }: Pick<OpenedChain, 'path' | 'segment'>, scribe: Scribe, operations: FileOperations) {
    this.path = path;
    this.#segment = segment;
    this.#scribe = scribe;
    this.#operations = operations;
  }

  /** The last durable record, a checkpoint. */
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

  /** New lines behind the durable ones. */
  draft(): ChainDraft {
    return new ChainDraft(this.#segment.head, this.#scribe);
  }

  /**
   * Appends the lines, durably, and looks that the file is still in its place with nothing else on it.
   * @param onDurable called in the very turn in which `head` moves
   * @returns where the file was found afterwards: `moved` when another program has renamed it, with these lines on it
   * @throws AuditUnavailableError, which is latched, when the lines are not durable; they were taken off the file as far as that was possible
   */
  async write(draft: ChainDraft, onDurable: () => void = () => undefined): Promise<Place> {
    const bytes = this.#lines.bytesOf(draft.text);
    const size = this.#segment.size + bytes.length;
    try {
      await writeFully(this.#segment.fd, bytes, this.#operations);
      const place = await this.#find(size);
      this.#segment = { ...this.#segment, size, head: draft.head };
      onDurable();
      return place;
    } catch (cause) {
      if (!(cause instanceof Interfered)) await cutBack(this.#segment, bytes.length, this.#operations);
      throw this.#latchFailure(cause, size);
    }
  }

  /**
   * Looks whether the file is in its place, as it was left.
   * @throws AuditUnavailableError, which is latched, when it is not whole, or when that can't be told
   */
  async look(): Promise<Place> {
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
    await stepAside(this.path, this.#segment, this.#operations);
    try {
      // It may have been removed since it was looked at; the descriptor that still has it is closed now.
      const found = await this.#findInterference(this.#segment.size);
      if (found !== null) throw new Interfered(found);
      await this.#begin(reason);
    } catch (cause) {
      if (cause instanceof Interfered) throw this.#latchFailure(cause, this.#segment.size);
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
    if (cause instanceof Interfered) return this.#latch(cause.kind, interferenceFault(path, cause.kind), reach);
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
    const isOwn = await repairTail(this.path, this.#segment, this.#scribe.key.publicKey, this.#operations);
    return isOwn ? null : 'changed';
  }

  /** Saves what can be saved, and frees the path; false when that has to wait for an operator. */
  async #freePath(kind: Damage['kind'], isOrdered: boolean): Promise<boolean> {
    const segment = this.#segment;
    if (kind === 'write-error' || kind === 'moved') await stepAside(this.path, this.#segment, this.#operations);
    await this.#saveIfRemoved();
    const isLost = kind === 'truncated' || kind === 'changed';
    if (!isLost && !isOrdered) return true;
    return setAside(this.path, segment, isOrdered, this.#scribe.clock.now(), this.#operations);
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
    const next = await beginSegment(this.path, reason, head, this.#scribe, access, this.#operations);
    this.#segment = next;
    await this.#operations.close(fd).catch(() => undefined);
  }

  async #find(expectedSize: number): Promise<Place> {
    const place = await findPlace(this.path, this.#segment, expectedSize, this.#operations);
    if (place === 'in place' || place === 'moved') return place;
    throw new Interfered(place);
  }
}
