import { ALGORITHMS } from '../domain/model/algorithm.ts';
import type { JsonObject, JsonValue } from '../domain/model/json.ts';
import { canonicalJson } from '../domain/payload/jcs.ts';
import { type AuditRecord, type ChainHead, RECORD_EVENTS, type RecordEntry } from './audit-record.ts';
import { KeptText } from './kept-text.ts';
import { isPlainCanonicalObject } from './plain-json.ts';
import { plainObjectText } from './plain-object-text.ts';
import * as pattern from './record-patterns.ts';
import { isNewDigest, sha256Of } from './sha256.ts';

/** Stands in `data` when the data itself can't be written, so that the rest of the record is not lost with it. */
const OMITTED_DATA = '{"omitted":"can not be written as JSON"}';

/** Longer `data` is left out, so that no line is longer than `MAX_LINE_BYTES`. Bytes in the line. */
const MAX_DATA_BYTES = 49_152;
/** Most bytes that one UTF-16 unit takes in a line: `\\u0085`. */
const MAX_BYTES_PER_UNIT = 6;

const OMITTED_LONG_DATA = '{"omitted":"too long"}';

/**
 * Characters that JSON leaves as they are, but that end a line for some readers (U+2028, U+2029, U+0085), steer a terminal (the other
 * C1 controls, U+007F) or turn the order of what is shown around (the bidirectional controls of Unicode UAX #9). Lone surrogates have no UTF-8 form.
 */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const NOT_PLAIN = /[^\x20-\x7e]/;

/** As it stands in the record. */
const UNFIT = JSON.stringify(pattern.UNFIT);

const ID = whole(pattern.IDENTIFIER);
const ERROR_CODE = whole(pattern.ERROR_CODE);
const WORD = whole(pattern.ALGORITHM);
const DIGEST = whole(pattern.DIGEST);
const CORRELATION_ID = whole(pattern.CORRELATION_ID);
const TRACEPARENT = whole(pattern.TRACEPARENT);
const BATCH_REQUEST_ID = whole(pattern.BATCH_REQUEST_ID);
const REMOTE_ADDRESS = whole(pattern.REMOTE_ADDRESS);

/** What may need escaping in a line, where the canonical form has it as it is. */
interface WrittenText {
  readonly canonical: string;
  readonly line: string;
}

const NULL_TEXT: WrittenText = { canonical: 'null', line: 'null' };

const WORDS: ReadonlyMap<string, string> = new Map(
  [...RECORD_EVENTS, 'success', 'refused', 'failed', ...ALGORITHMS].map((word) => [word, JSON.stringify(word)]),
);

const times = new KeptText((time: string) => written(JSON.stringify(time)));
const principals = new KeptText((principal: string) => written(JSON.stringify(wellFormed(principal))));
const correlationIds = new KeptText((id: string | null) => fitting(CORRELATION_ID, id));
const remoteAddresses = new KeptText((address: string | null) => fitting(REMOTE_ADDRESS, address));
const instanceIds = new KeptText((id: string) => fitting(ID, id));

/** A record that has everything but its place in the chain, in the pieces of its two forms. */
export interface PreparedRecord {
  readonly time: string;
  /** Fields of the line between `seq` and `prevHash`. */
  readonly line: string;
  /** The canonical form up to the value of `prevHash`, from there to that of `seq`, and from there to its end. */
  readonly canonical: readonly [string, string, string];
}

/**
 * Takes down what an entry says now, in the fixed fields and no others, whatever else the object carries. What does not fit the closed pattern of its field gives way to `[unfit]`,
 * `data` that JSON can't hold to a note; never throws.
 */
export function prepareRecord(entry: RecordEntry): PreparedRecord {
  const time = times.of(entry.time);
  const event = wordText(entry.event);
  const outcome = wordText(entry.outcome);
  const errorCode = fitting(ERROR_CODE, entry.errorCode);
  const platformId = fitting(ID, entry.platformId);
  const accountId = fitting(ID, entry.accountId);
  const algorithm = entry.algorithm === null ? 'null' : wordText(entry.algorithm);
  const payloadDigest = digestText(entry.payloadDigest);
  const signatureDigest = digestText(entry.signatureDigest);
  const data = entry.data === null ? NULL_TEXT : dataText(entry.data);
  const correlationId = correlationIds.of(entry.correlationId);
  const traceparent = entry.traceparent == null ? '' : `"traceparent":${fitting(TRACEPARENT, entry.traceparent)},`;
  const batchRequestId = batchRequestIdText(entry.batchRequestId);
  const principal = entry.principal === null ? NULL_TEXT : principals.of(entry.principal);
  const remoteAddress = remoteAddresses.of(entry.remoteAddress);
  const durationMs = JSON.stringify(entry.durationMs);
  const instanceId = instanceIds.of(entry.instanceId);
  return {
    time: entry.time,
    line:
      `"time":${time.line},"event":${event},"outcome":${outcome},"errorCode":${errorCode},"platformId":${platformId},` +
      `"accountId":${accountId},"algorithm":${algorithm},"payloadDigest":${payloadDigest},` +
      `"signatureDigest":${signatureDigest},"data":${data.line},"correlationId":${correlationId},` +
      `${traceparent}"batchRequestId":${batchRequestId},"principal":${principal.line},` +
      `"remoteAddress":${remoteAddress},"durationMs":${durationMs},"instanceId":${instanceId},"prevHash":`,
    canonical: [
      `{"accountId":${accountId},"algorithm":${algorithm},"batchRequestId":${batchRequestId},` +
        `"correlationId":${correlationId},"data":${data.canonical},"durationMs":${durationMs},"errorCode":${errorCode},` +
        `"event":${event},"instanceId":${instanceId},"outcome":${outcome},"payloadDigest":${payloadDigest},` +
        `"platformId":${platformId},"prevHash":`,
      `,"principal":${principal.canonical},"remoteAddress":${remoteAddress},"seq":`,
      `,"signatureDigest":${signatureDigest},"time":${time.canonical}${traceparent === '' ? '}' : `,${traceparent.slice(0, -1)}}`}`,
    ],
  };
}

/** A record's line, without its newline, and how far the chain reaches with it. */
export interface ChainedLine {
  readonly line: string;
  readonly head: ChainHead & { readonly hash: string };
}

/** Gives a record its place behind `head`. */
export function chainRecord({ line, canonical }: PreparedRecord, head: ChainHead): ChainedLine {
  const seq = head.seq + 1;
  const prevHash = head.hash === null ? 'null' : `"${head.hash}"`;
  const hash = sha256Of(canonical[0] + prevHash + canonical[1] + seq + canonical[2]);
  return { line: `{"seq":${seq},${line}${prevHash},"hash":"${hash}"}`, head: { seq, hash } };
}

/** The line that the service writes for this record: whether a line says what it seems to is whether it is this. */
export function lineOf(record: AuditRecord): ChainedLine {
  return chainRecord(prepareRecord(record), { seq: record.seq - 1, hash: record.prevHash });
}

function whole(source: string): RegExp {
  return new RegExp(`^${source}$`);
}

/** A value in quotes, or null. @param fits matches nothing that would have to be escaped */
function fitting(fits: RegExp, value: string | null): string {
  if (value === null) return 'null';
  return fits.test(value) ? `"${value}"` : UNFIT;
}

function digestText(digest: string | null): string {
  return digest !== null && isNewDigest(digest) ? `"${digest}"` : fitting(DIGEST, digest);
}

function batchRequestIdText(id: string | null): string {
  if (id === null) return 'null';
  return BATCH_REQUEST_ID.test(id) ? JSON.stringify(id) : UNFIT;
}

/** Events, outcomes and algorithms: words of this program. */
function wordText(word: string): string {
  return WORDS.get(word) ?? fitting(WORD, word);
}

function wellFormed(text: string): string {
  return text.slice(0, pattern.MAX_PRINCIPAL_LENGTH).replace(LONE_SURROGATE, '\ufffd');
}

function dataText(data: JsonObject): WrittenText {
  const plain = plainText(data);
  if (plain !== null) {
    const text = plain.length > MAX_DATA_BYTES ? OMITTED_LONG_DATA : plain;
    return { canonical: text, line: text };
  }
  return written(anyDataText(data));
}

/** Never throws, as little as the rest. */
function plainText(data: JsonObject): string | null {
  try {
    return plainObjectText(data);
  } catch {
    return null;
  }
}

function anyDataText(data: JsonObject): string {
  try {
    const text = canonicalJson(data);
    if (!isJson(text)) return OMITTED_DATA;
    const bytes = text.length * (NOT_PLAIN.test(text) ? MAX_BYTES_PER_UNIT : 1);
    return bytes > MAX_DATA_BYTES ? OMITTED_LONG_DATA : text;
  } catch {
    return OMITTED_DATA;
  }
}

function written(canonical: string): WrittenText {
  return { canonical, line: NOT_PLAIN.test(canonical) ? canonical.replace(TREACHEROUS, escapeCharacter) : canonical };
}

/** What is no JSON value after all, such as a member that is undefined, would make a line that nobody can verify. */
function isJson(text: string): boolean {
  if (!NOT_PLAIN.test(text) && !text.includes('\\') && isPlainCanonicalObject(text)) return true;
  return canonicalJson(JSON.parse(text) as JsonValue) === text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
