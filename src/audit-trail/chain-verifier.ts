import { NO_REQUEST } from '../domain/model/audit-entry.ts';
import { type ChainHead, EMPTY_CHAIN } from './audit-record.ts';
import { isSignedBy, readCheckpoint } from './checkpoint-note.ts';
import { chainRecord, prepareRecord } from './prepared-record.ts';
import type { ReadRecord } from './read-record.ts';
import { publicKeyOf } from './segment.ts';

/**
 * Most records that may stand between two checkpoints. The service signs far more often: at the end
 * of each group that it writes.
 */
export const MAX_UNSIGNED_RECORDS = 1000;

/** What was verified of one chain so far. */
export interface VerifiedChain {
  /** Number and time of the first record that was seen. */
  readonly first: { readonly seq: number; readonly time: string };
  readonly last: { readonly seq: number; readonly time: string; readonly hash: string };
  readonly checkpoints: number;
  /** Number of the last record that a checkpoint covers; 0 when there was none. */
  readonly covered: number;
}

/** What a {@link ChainVerifier} begins with. */
export interface ChainStart {
  /** The record before the first one that it will see; null when that is not known, and then the first one is believed to fit. */
  readonly head: ChainHead | null;
  /** Keys (32 bytes each) that may sign; null: whichever key the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  /** The key of the file in whose middle it begins; null at the beginning of a file. */
  readonly key?: Buffer | null;
}

/** Follows one chain, record by record, and tells the first thing that does not fit. */
export class ChainVerifier {
  readonly #trustedKeys: readonly Buffer[] | null;
  #head: ChainHead | null;
  #key: Buffer | null;
  #first: VerifiedChain['first'] | null = null;
  #lastTime = '';
  #checkpoints = 0;
  #covered = 0;
  #unsigned = 0;

  constructor({ head, trustedKeys, key = null }: ChainStart) {
    this.#head = head;
    this.#trustedKeys = trustedKeys;
    this.#key = key;
  }

  /** The last record; null before the first when the start is not known. */
  get head(): ChainHead | null {
    return this.#head;
  }

  /** Null before the first record. */
  get verified(): VerifiedChain | null {
    if (this.#first === null || this.#head?.hash == null) return null;
    const { seq, hash } = this.#head;
    return {
      first: this.#first,
      last: { seq, time: this.#lastTime, hash },
      checkpoints: this.#checkpoints,
      covered: this.#covered,
    };
  }

  /** How many records at the end no checkpoint covers. */
  get unsigned(): number {
    return this.#unsigned;
  }

  /** The key of the file that is being read, 32 bytes; null before the first segment record. */
  get key(): Buffer | null {
    return this.#key;
  }

  /**
   * Takes the next record.
   * @param isFirstOfFile whether it stands on the first line of its file
   * @returns what is wrong with it, or null
   */
  accept(record: ReadRecord, isFirstOfFile: boolean): string | null {
    const fault = this.#findFault(record, isFirstOfFile);
    if (fault !== null) return fault;
    this.#first ??= { seq: record.seq, time: record.time };
    this.#head = { seq: record.seq, hash: record.hash };
    this.#lastTime = record.time;
    if (record.event === 'checkpoint') this.#cover(record.seq - 1);
    else this.#unsigned += 1;
    return null;
  }

  #cover(seq: number): void {
    this.#unsigned = 0;
    this.#checkpoints += 1;
    this.#covered = seq;
  }

  #findFault(record: ReadRecord, isFirstOfFile: boolean): string | null {
    return (
      this.#findBreak(record) ??
      findMisplacedSegment(record, isFirstOfFile) ??
      (record.event === 'segment' ? this.#takeKey(record) : null) ??
      (record.event === 'checkpoint' ? this.#findForgery(record) : this.#findMissingCheckpoint(record))
    );
  }

  #findBreak({ seq, prevHash }: ReadRecord): string | null {
    if (this.#head === null) return findMisfit(seq, prevHash);
    const expected = this.#head.seq + 1;
    if (seq > expected) return `is record ${seq}: ${rangeText(expected, seq - 1)} missing before it`;
    if (seq < expected) return `is record ${seq}, and stands behind record ${this.#head.seq}: it was repeated or moved`;
    if (prevHash === this.#head.hash) return null;
    return `is record ${seq} of another chain, or what stands before it was altered: its prevHash is not the hash of record ${this.#head.seq}`;
  }

  #takeKey({ data }: ReadRecord): string | null {
    const key = publicKeyOf(data);
    if (key === null) return 'begins a file and names no audit public key';
    if (this.#trustedKeys?.every((trusted) => !trusted.equals(key))) {
      return `names the audit public key ${key.toString('base64')}, which is not a trusted audit key`;
    }
    this.#key = key;
    return null;
  }

  #findForgery(record: ReadRecord): string | null {
    const { seq, time, prevHash, hash, data } = record;
    const note = data?.['note'];
    const checkpoint = typeof note === 'string' ? readCheckpoint(note) : null;
    if (checkpoint === null) return 'is a checkpoint without a signed note';
    if (checkpoint.time !== time || checkpoint.instanceId !== record.instanceId)
      return 'is a checkpoint of another time or instance';
    if (checkpoint.seq !== seq - 1 || checkpoint.hash !== prevHash) return 'is a checkpoint of other records';
    if (this.#key === null || !isSignedBy(checkpoint, this.#key)) {
      return 'is a checkpoint that the audit key did not sign: it is forged';
    }
    return hash === hashOfCheckpoint(record, String(note)) ? null : 'is a checkpoint with something else in it';
  }

  #findMissingCheckpoint({ event }: ReadRecord): string | null {
    if (event === 'segment' || this.#unsigned < MAX_UNSIGNED_RECORDS) return null;
    return `can only come behind a checkpoint of the ${this.#unsigned} records before it: the checkpoint is missing`;
  }
}

/** Of a record whose neighbour before it is not known. */
function findMisfit(seq: number, prevHash: string | null): string | null {
  if ((seq === EMPTY_CHAIN.seq + 1) === (prevHash === EMPTY_CHAIN.hash)) return null;
  return `is record ${seq} with a prevHash that only ${prevHash === null ? 'record 1 has' : 'records behind it have'}`;
}

/** No checkpoint covers the last one, so that all of it but its note is compared with what the service writes. */
function hashOfCheckpoint({ seq, time, instanceId, prevHash }: ReadRecord, note: string): string {
  const entry = { ...NO_REQUEST, time, event: 'checkpoint', outcome: 'success', data: { note }, instanceId } as const;
  return chainRecord(prepareRecord(entry), { seq: seq - 1, hash: prevHash }).head.hash;
}

function findMisplacedSegment({ event }: ReadRecord, isFirstOfFile: boolean): string | null {
  if (isFirstOfFile === (event === 'segment')) return null;
  return isFirstOfFile ? 'begins a file and is no segment record' : 'is a segment record in the middle of a file';
}

function rangeText(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}
