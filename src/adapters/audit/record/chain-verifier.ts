import type { KeyObject } from 'node:crypto';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { toPublicKeyObject } from '../../node/ed25519-public-key.ts';
import type { ReadRecord } from './read-record.ts';
import { getSegmentPublicKey } from './segment.ts';
import { EMPTY_CHAIN, isSignedBy } from './signed-record.ts';

/** The verified part of a chain. */
export interface VerifiedChain {
  /** Number and time of the first record. */
  readonly first: { readonly seq: number; readonly time: string };
  readonly last: { readonly seq: number; readonly time: string; readonly hash: string };
  /** Number of signatures; each covers all records before it. */
  readonly signatures: number;
  /** Number of the last signed record; 0 for none. */
  readonly covered: number;
}

interface ChainStart {
  /** The record before the first one; null accepts any. */
  readonly head: AuditHead | null;
  /** Trusted keys (32 bytes each); null: those that the files name. */
  readonly trustedKeys: readonly Buffer[] | null;
  /** The key of the file, when starting in its middle. */
  readonly key?: Buffer | null;
}

/** Verifies one chain, record by record, and returns the first issue. */
export class ChainVerifier {
  readonly #trustedKeys: readonly Buffer[] | null;
  #head: AuditHead | null;
  #key: Buffer | null;
  #keyObject: KeyObject | null;
  #first: VerifiedChain['first'] | null = null;
  #lastTime = '';
  #signatures = 0;
  #covered = 0;
  #unsigned = 0;

  constructor({ head, trustedKeys, key = null }: ChainStart) {
    this.#head = head;
    this.#trustedKeys = trustedKeys;
    this.#key = key;
    this.#keyObject = key === null ? null : toPublicKeyObject(key);
  }

  /** The last record; null before the first when the start is unknown. */
  get head(): AuditHead | null {
    return this.#head;
  }

  /** Null before the first record. */
  get verified(): VerifiedChain | null {
    if (this.#first === null || this.#head?.hash == null) return null;
    const { seq, hash } = this.#head;
    return {
      first: this.#first,
      last: { seq, time: this.#lastTime, hash },
      signatures: this.#signatures,
      covered: this.#covered,
    };
  }

  /** Records after the last signed one. */
  get unsigned(): number {
    return this.#unsigned;
  }

  /** The key of the current file, 32 bytes, or null. */
  get key(): Buffer | null {
    return this.#key;
  }

  /** @returns the issue of the next record, or null */
  accept(record: ReadRecord, isFirstOfFile: boolean): string | null {
    const issue = this.#findIssue(record, isFirstOfFile);
    if (issue !== null) return issue;
    this.#first ??= { seq: record.seq, time: record.time };
    this.#head = { seq: record.seq, hash: record.hash };
    this.#lastTime = record.time;
    this.#unsigned += 1;
    if (record.checkpoint !== null) {
      this.#unsigned = 0;
      this.#signatures += 1;
      this.#covered = record.seq;
    }
    return null;
  }

  #findIssue(record: ReadRecord, isFirstOfFile: boolean): string | null {
    return (
      this.#findBreak(record) ??
      findMisplacedSegment(record, isFirstOfFile) ??
      (record.event === 'segment' ? this.#takeKey(record) : null) ??
      this.#findForgery(record)
    );
  }

  #findBreak({ seq, prevHash }: ReadRecord): string | null {
    if (this.#head === null) return findStartIssue(seq, prevHash);
    const expected = this.#head.seq + 1;
    if (seq > expected) return `is record ${seq}: ${formatRange(expected, seq - 1)} missing before it`;
    if (seq < expected)
      return `is record ${seq}, but follows record ${this.#head.seq}: it was altered, repeated or moved`;
    if (prevHash === this.#head.hash) return null;
    return `is record ${seq}, but does not follow the previous line: one of the two was altered or belongs to another chain (its prevHash is not the hash of record ${this.#head.seq})`;
  }

  #takeKey({ data }: ReadRecord): string | null {
    const key = getSegmentPublicKey(data);
    if (key === null) return 'begins a file but contains no audit public key';
    if (this.#trustedKeys?.every((trusted) => !trusted.equals(key))) {
      return `contains the audit public key ${key.toString('base64')}, which is not trusted`;
    }
    this.#key = key;
    this.#keyObject = toPublicKeyObject(key);
    return null;
  }

  #findForgery({ sig, checkpoint }: ReadRecord): string | null {
    if (sig === undefined) return null;
    if (checkpoint !== null && this.#keyObject !== null && isSignedBy(checkpoint, this.#keyObject)) return null;
    return 'has a signature that the audit key did not create: it was altered or forged';
  }
}

/** For a record without a known predecessor. */
function findStartIssue(seq: number, prevHash: string | null): string | null {
  if ((seq === EMPTY_CHAIN.seq + 1) === (prevHash === EMPTY_CHAIN.hash)) return null;
  return prevHash === null
    ? `is record ${seq} but has no prevHash, which only record 1 lacks`
    : `is record ${seq} but has a prevHash, which the first record never has`;
}

function findMisplacedSegment({ event }: ReadRecord, isFirstOfFile: boolean): string | null {
  if (isFirstOfFile === (event === 'segment')) return null;
  return isFirstOfFile ? 'begins a file but is not a segment record' : 'is a segment record in the middle of a file';
}

function formatRange(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}
