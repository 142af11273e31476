import type { KeyObject } from 'node:crypto';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import type { RecordPosition } from '../../../domain/model/audit-verdict.ts';
import { toPublicKeyObject } from '../../node/ed25519-public-key.ts';
import type { ReadRecord } from './read-record.ts';
import { getSegmentPublicKey } from './segment.ts';
import { EMPTY_CHAIN, isSignedBy } from './signed-record.ts';

/**
 * Whether a record follows the head of a chain, leaves records out (which nothing links), or breaks
 * the chain: one of the two was altered or repeated, or belongs to another chain.
 */
export function compareWith({ seq, prevHash }: ReadRecord, head: AuditHead): 'follows' | 'gap' | 'break' {
  if (seq > head.seq + 1) return 'gap';
  return seq === head.seq + 1 && prevHash === head.hash ? 'follows' : 'break';
}

/**
 * Verifies one chain, record by record, and returns the first issue. Only `accept` changes the
 * results.
 */
export class ChainVerifier {
  /** The key of the current file, 32 bytes, or null. */
  key: Buffer | null;
  /** The first record; number 0 before it. */
  first: RecordPosition = { seq: 0, time: '' };
  /** The last record; number 0 before the first. */
  last: RecordPosition & { readonly hash: string } = { seq: 0, time: '', hash: '' };
  /** Number of signatures; each covers all records before it. */
  signatures = 0;
  /** Records after the last signed one. */
  unsigned = 0;
  readonly #trustedKeys: readonly Buffer[] | null;
  #keyObject: KeyObject | null;

  /**
   * For a chain that begins with any record.
   * @param trustedKeys 32 bytes each; null: those that the files name
   * @param key of the file, when starting in its middle, 32 bytes
   */
  constructor(trustedKeys: readonly Buffer[] | null, key: Buffer | null = null) {
    this.key = key;
    this.#trustedKeys = trustedKeys;
    this.#keyObject = key === null ? null : toPublicKeyObject(key);
  }

  /** @returns the issue of the next record, or null */
  accept(record: ReadRecord, isFirstOfFile: boolean): string | null {
    const issue = this.#findIssue(record, isFirstOfFile);
    if (issue !== null) return issue;
    const { seq, time, hash, checkpoint } = record;
    if (this.first.seq === 0) this.first = { seq, time };
    this.last = { seq, time, hash };
    this.unsigned += 1;
    if (checkpoint !== null) {
      this.unsigned = 0;
      this.signatures += 1;
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

  #findBreak(record: ReadRecord): string | null {
    const { seq, prevHash } = record;
    const isFirst = this.last.seq === 0;
    if (isFirst && seq > EMPTY_CHAIN.seq + 1)
      return prevHash === null ? `is record ${seq} but has no prevHash, which only record 1 lacks` : null;
    const head = isFirst ? EMPTY_CHAIN : this.last;
    const found = compareWith(record, head);
    if (found === 'follows') return null;
    const expected = head.seq + 1;
    if (found === 'gap') return `is record ${seq}: ${formatRecords(expected, seq - 1)} missing before it`;
    if (seq < expected) return `is record ${seq}, but follows record ${head.seq}: it was altered, repeated or moved`;
    return `is record ${seq}, but does not follow the previous line: one of the two was altered or belongs to another chain (its prevHash is not the hash of record ${head.seq})`;
  }

  #takeKey({ data }: ReadRecord): string | null {
    const key = getSegmentPublicKey(data);
    if (key === null) return 'begins a file but contains no audit public key';
    if (this.#trustedKeys?.every((trusted) => !trusted.equals(key))) {
      return `contains the audit public key ${key.toString('base64')}, which is not trusted`;
    }
    this.key = key;
    this.#keyObject = toPublicKeyObject(key);
    return null;
  }

  #findForgery({ sig, checkpoint }: ReadRecord): string | null {
    if (sig === undefined) return null;
    if (checkpoint !== null && this.#keyObject !== null && isSignedBy(checkpoint, this.#keyObject)) return null;
    return 'has a signature that the audit key did not create: it was altered or forged';
  }
}

function findMisplacedSegment({ event }: ReadRecord, isFirstOfFile: boolean): string | null {
  if (isFirstOfFile === (event === 'segment')) return null;
  return isFirstOfFile ? 'begins a file but is not a segment record' : 'is a segment record in the middle of a file';
}

/** `record 5 is` or `records 5 to 9 are`. */
export function formatRecords(first: number, last: number, verb: 'is' | 'was' = 'is'): string {
  if (first === last) return `record ${first} ${verb}`;
  return `records ${first} to ${last} ${verb === 'is' ? 'are' : 'were'}`;
}
