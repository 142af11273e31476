import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { type SegmentReason, segmentData } from '../../src/adapters/audit/record/segment.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainContent,
  EMPTY_CHAIN,
  recordContent,
  signRecord,
} from '../../src/adapters/audit/record/signed-record.ts';
import { segmentPath } from '../../src/adapters/audit/segments/segment-names.ts';
import { type AuditHead, NO_REQUEST, type RecordEntry } from '../../src/domain/model/audit-entry.ts';
import { sampleAuditEntry } from './sample-audit-entry.ts';

/** Start of a chain; default: a fresh key and the first record. */
export interface AuditChainOptions {
  readonly key?: AuditSigningKey;
  readonly instanceId?: string;
  /** The record before the first file. */
  readonly head?: AuditHead;
  /** Time of the first segment record, ISO 8601 UTC with milliseconds. */
  readonly time?: string;
  readonly reason?: SegmentReason;
  /** Signs segment records, as the service does; default true. */
  readonly signsSegments?: boolean;
}

interface ChainFile {
  readonly firstSeq: number;
  readonly lines: string[];
}

/** DER of an Ed25519 private key up to its seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * An Ed25519 key of node:crypto that signs records.
 * @param seed 32 bytes, for a reproducible chain; default: random
 */
export function createAuditKey(seed: Uint8Array = randomBytes(32)): AuditSigningKey {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return { publicKey: rawPublicKey(publicKey), sign: (message) => sign(null, message, privateKey) };
}

/** Chains an entry to `head`, unsigned. */
export function chainEntry(entry: RecordEntry, head: AuditHead): ChainedRecord {
  return chainContent(recordContent(entry), head);
}

/** Lines of a valid chain in one or more files, each with a segment record first. */
export class AuditChain {
  readonly #instanceId: string;
  readonly #signsSegments: boolean;
  readonly #files: ChainFile[] = [];
  #last: ChainedRecord | null = null;
  #key: AuditSigningKey;
  #head: AuditHead;
  #time: string;

  constructor(options: AuditChainOptions = {}) {
    this.#key = options.key ?? createAuditKey();
    this.#instanceId = options.instanceId ?? 'instance-1';
    this.#head = options.head ?? EMPTY_CHAIN;
    this.#time = options.time ?? sampleAuditEntry().time;
    this.#signsSegments = options.signsSegments ?? true;
    this.beginSegment(options.reason ?? 'first');
  }

  /** The last record. */
  get head(): AuditHead {
    return this.#head;
  }

  /** Current public key, 32 bytes. */
  get publicKey(): Buffer {
    return Buffer.from(this.#key.publicKey);
  }

  /** Lines without newlines by file, oldest first. */
  get files(): readonly (readonly string[])[] {
    return this.#files.map(({ lines }) => lines);
  }

  /** Lines without newlines. */
  get lines(): readonly string[] {
    return this.#files.flatMap(({ lines }) => lines);
  }

  /** Content of one file; default: the last. */
  text(index = this.#files.length - 1): string {
    return (this.#files[index]?.lines ?? []).map((line) => `${line}\n`).join('');
  }

  /** Appends an unsigned record. */
  append(entry: RecordEntry = sampleAuditEntry()): AuditHead {
    return this.#add(chainEntry(entry, this.#head), entry.time);
  }

  /** Signs the last record, which covers all before it. */
  sign(): AuditHead {
    const file = this.#files.at(-1);
    if (this.#last === null || file === undefined) throw new RangeError('There is no record to sign.');
    if (this.#last.checkpoint !== null) return this.#head;
    file.lines.pop();
    return this.#add(signRecord(this.#last, this.#key), this.#time);
  }

  /** Starts the next file. @param key signs from there on */
  beginSegment(reason: SegmentReason, key: AuditSigningKey = this.#key, time = this.#time): AuditHead {
    this.#key = key;
    this.#files.push({ firstSeq: this.#head.seq + 1, lines: [] });
    const entry = this.#segmentEntry(time, segmentData(reason, key.publicKey));
    const chained = chainEntry(entry, this.#head);
    return this.#add(this.#signsSegments ? signRecord(chained, key) : chained, time);
  }

  /**
   * Writes the segments beside an audit file, which becomes a second name of the last one; returns
   * the paths, oldest first.
   * @param file absolute
   */
  write(file: string): readonly string[] {
    const paths = this.#files.map(({ firstSeq }, index) => {
      const path = segmentPath(file, firstSeq);
      writeFileSync(path, this.text(index), { mode: 0o600 });
      return path;
    });
    rmSync(file, { force: true });
    linkSync(paths.at(-1) ?? '', file);
    return paths;
  }

  #add(chained: ChainedRecord, time: string): AuditHead {
    const file = this.#files.at(-1);
    if (file === undefined) throw new RangeError('No file was begun.');
    file.lines.push(chained.line);
    this.#last = chained;
    this.#head = chained.head;
    this.#time = time;
    return chained.head;
  }

  #segmentEntry(time: string, data: RecordEntry['data']): RecordEntry {
    return { ...NO_REQUEST, time, event: 'segment', outcome: 'success', data, instanceId: this.#instanceId };
  }
}

/** The last 32 bytes of the SubjectPublicKeyInfo (RFC 8410 §4). */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
}
