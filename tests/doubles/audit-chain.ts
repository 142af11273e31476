import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type ChainHead, EMPTY_CHAIN, type RecordEntry } from '../../src/audit-trail/audit-record.ts';
import { type SegmentReason, segmentData } from '../../src/audit-trail/segment.ts';
import { rotatedPath } from '../../src/audit-trail/segment-files.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainEntry,
  signRecord,
} from '../../src/audit-trail/signed-record.ts';
import { sampleAuditEntry } from './sample-audit-entry.ts';

/** How a chain begins; a fresh key and the first record of all where a test does not care. */
export interface AuditChainOptions {
  readonly key?: AuditSigningKey;
  readonly instanceId?: string;
  /** The record behind which the first file begins. */
  readonly head?: ChainHead;
  /** Time of the first segment record, ISO 8601 UTC with milliseconds. */
  readonly time?: string;
  readonly reason?: SegmentReason;
  /** Whether segment records are signed, as the service signs them; default true. */
  readonly signsSegments?: boolean;
}

interface ChainFile {
  readonly firstSeq: number;
  lastSeq: number;
  readonly lines: string[];
}

/** An Ed25519 key of node:crypto that signs records. */
export function createAuditKey(): AuditSigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { publicKey: rawPublicKey(publicKey), sign: (message) => sign(null, message, privateKey) };
}

/** The lines of a valid chain, in one file or more. A segment record stands first in each. */
export class AuditChain {
  readonly #instanceId: string;
  readonly #signsSegments: boolean;
  readonly #files: ChainFile[] = [];
  #last: ChainedRecord | null = null;
  #key: AuditSigningKey;
  #head: ChainHead;
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
  get head(): ChainHead {
    return this.#head;
  }

  /** Of the key that signs now, 32 bytes. */
  get publicKey(): Buffer {
    return Buffer.from(this.#key.publicKey);
  }

  /** Lines of each file, without newlines, the oldest file first. */
  get files(): readonly (readonly string[])[] {
    return this.#files.map(({ lines }) => lines);
  }

  /** Lines of all files, without newlines. */
  get lines(): readonly string[] {
    return this.#files.flatMap(({ lines }) => lines);
  }

  /** Content of one file; of the last when none is named. */
  text(index = this.#files.length - 1): string {
    return (this.#files[index]?.lines ?? []).map((line) => `${line}\n`).join('');
  }

  /** Adds a record, unsigned. */
  append(entry: RecordEntry = sampleAuditEntry()): ChainHead {
    return this.#add(chainEntry(entry, this.#head), entry.time);
  }

  /** Signs the last record, and so every record before it. */
  sign(): ChainHead {
    const file = this.#files.at(-1);
    if (this.#last === null || file === undefined) throw new RangeError('There is no record to sign.');
    if (this.#last.checkpoint !== null) return this.#head;
    file.lines.pop();
    return this.#add(signRecord(this.#last, this.#key), this.#time);
  }

  /** Begins the next file. @param key that signs from there on */
  beginSegment(reason: SegmentReason, key: AuditSigningKey = this.#key, time = this.#time): ChainHead {
    this.#key = key;
    this.#files.push({ firstSeq: this.#head.seq + 1, lastSeq: this.#head.seq, lines: [] });
    const entry = this.#segmentEntry(time, segmentData(reason, key.publicKey));
    const chained = chainEntry(entry, this.#head);
    return this.#add(this.#signsSegments ? signRecord(chained, key) : chained, time);
  }

  /** Writes the last file as `file` and those before it beside it, under the names that the service rotates them to; gives the paths, the oldest first. */
  write(file: string): readonly string[] {
    return this.#files.map(({ firstSeq, lastSeq }, index) => {
      const isLast = index === this.#files.length - 1;
      const path = isLast ? file : rotatedPath(file, firstSeq, lastSeq);
      writeFileSync(path, this.text(index), { mode: 0o600 });
      return path;
    });
  }

  #add(chained: ChainedRecord, time: string): ChainHead {
    const file = this.#files.at(-1);
    if (file === undefined) throw new RangeError('No file was begun.');
    file.lines.push(chained.line);
    file.lastSeq = chained.head.seq;
    this.#last = chained;
    this.#head = chained.head;
    this.#time = time;
    return chained.head;
  }

  #segmentEntry(time: string, data: RecordEntry['data']): RecordEntry {
    return {
      ...sampleAuditEntry({ data, time, instanceId: this.#instanceId, platformId: null, accountId: null }),
      ...{ algorithm: null, payloadDigest: null, signatureDigest: null, correlationId: null },
      ...{ traceparent: null, remoteAddress: null, durationMs: null, event: 'segment' },
    };
  }
}

/** The 32 bytes at the end of the SubjectPublicKeyInfo (RFC 8410 §4). */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
}
