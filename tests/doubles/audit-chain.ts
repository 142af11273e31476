import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type ChainHead, EMPTY_CHAIN, type RecordEntry } from '../../src/audit-trail/audit-record.ts';
import { MAX_UNSIGNED_RECORDS } from '../../src/audit-trail/chain-verifier.ts';
import { type CheckpointKey, signCheckpoint } from '../../src/audit-trail/checkpoint-note.ts';
import { chainRecord, prepareRecord } from '../../src/audit-trail/prepared-record.ts';
import { type SegmentReason, segmentData } from '../../src/audit-trail/segment.ts';
import { rotatedPath } from '../../src/audit-trail/segment-files.ts';
import { sampleAuditEntry } from './sample-audit-entry.ts';

/** How a chain begins; a fresh key and the first record of all where a test does not care. */
export interface AuditChainOptions {
  readonly key?: CheckpointKey;
  readonly instanceId?: string;
  /** The record behind which the first file begins. */
  readonly head?: ChainHead;
  /** Time of the first segment record, ISO 8601 UTC with milliseconds. */
  readonly time?: string;
  readonly reason?: SegmentReason;
  /** Puts a checkpoint in front of each record that can't come without one; default true. */
  readonly checkpoints?: boolean;
}

interface ChainFile {
  readonly firstSeq: number;
  lastSeq: number;
  readonly lines: string[];
}

/** An Ed25519 key of node:crypto that signs checkpoints. */
export function createCheckpointKey(): CheckpointKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { publicKey: rawPublicKey(publicKey), sign: (message) => sign(null, message, privateKey) };
}

/** The lines of a valid chain, in one file or more. A segment record stands first in each. */
export class AuditChain {
  readonly #instanceId: string;
  readonly #checkpoints: boolean;
  readonly #files: ChainFile[] = [];
  #unsigned = 0;
  #key: CheckpointKey;
  #head: ChainHead;
  #time: string;

  constructor(options: AuditChainOptions = {}) {
    this.#key = options.key ?? createCheckpointKey();
    this.#instanceId = options.instanceId ?? 'instance-1';
    this.#head = options.head ?? EMPTY_CHAIN;
    this.#time = options.time ?? sampleAuditEntry().time;
    this.#checkpoints = options.checkpoints ?? true;
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

  /** Adds a record, behind a checkpoint where one is due. */
  append(entry: RecordEntry = sampleAuditEntry()): ChainHead {
    if (this.#checkpoints && this.#unsigned >= MAX_UNSIGNED_RECORDS) this.checkpoint();
    return this.#add(entry);
  }

  /** Adds a checkpoint that covers every record before it. */
  checkpoint(time = this.#time): ChainHead {
    const { seq, hash } = this.#head;
    if (hash === null) throw new RangeError('There is no record that a checkpoint could cover.');
    const note = signCheckpoint({ instanceId: this.#instanceId, seq, hash, time }, this.#key);
    return this.#add(this.#ownEntry('checkpoint', time, { note }));
  }

  /** Begins the next file. @param key that signs from there on */
  beginSegment(reason: SegmentReason, key: CheckpointKey = this.#key, time = this.#time): ChainHead {
    this.#key = key;
    this.#files.push({ firstSeq: this.#head.seq + 1, lastSeq: this.#head.seq, lines: [] });
    return this.#add(this.#ownEntry('segment', time, segmentData(reason, key.publicKey)));
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

  #add(entry: RecordEntry): ChainHead {
    const { line, head } = chainRecord(prepareRecord(entry), this.#head);
    const file = this.#files.at(-1);
    if (file === undefined) throw new RangeError('No file was begun.');
    file.lines.push(line);
    file.lastSeq = head.seq;
    this.#head = head;
    this.#time = entry.time;
    this.#unsigned = entry.event === 'checkpoint' ? 0 : this.#unsigned + 1;
    return head;
  }

  #ownEntry(event: 'checkpoint' | 'segment', time: string, data: RecordEntry['data']): RecordEntry {
    return {
      ...sampleAuditEntry({ data, time, instanceId: this.#instanceId, platformId: null, accountId: null }),
      ...{ algorithm: null, payloadDigest: null, signatureDigest: null, correlationId: null },
      ...{ traceparent: null, remoteAddress: null, durationMs: null, event },
    };
  }
}

/** The 32 bytes at the end of the SubjectPublicKeyInfo (RFC 8410 §4). */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
}
