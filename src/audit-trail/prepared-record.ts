import type { JsonValue } from '../domain/model/json.ts';
import { canonicalJson } from '../domain/payload/jcs.ts';
import type { AuditRecord, ChainHead, RecordEntry } from './audit-record.ts';
import { isPlainCanonicalObject } from './plain-json.ts';
import * as pattern from './record-patterns.ts';
import { sha256Of } from './sha256.ts';

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

const ID = whole(pattern.IDENTIFIER);
const ERROR_CODE = whole(pattern.ERROR_CODE);
const DIGEST = whole(pattern.DIGEST);
const CORRELATION_ID = whole(pattern.CORRELATION_ID);
const TRACEPARENT = whole(pattern.TRACEPARENT);
const BATCH_REQUEST_ID = whole(pattern.BATCH_REQUEST_ID);
const REMOTE_ADDRESS = whole(pattern.REMOTE_ADDRESS);

/** A record that has everything but its place in the chain, in the pieces of its two forms. */
export interface PreparedRecord {
  readonly time: string;
  /** Fields of the line between `seq` and `prevHash`. */
  readonly line: string;
  /** The canonical form up to `prevHash`, from there to `seq`, and from there to its end. */
  readonly canonical: readonly [string, string, string];
}

/**
 * Takes down what an entry says now, in the fixed fields and no others, whatever else the object carries. What does not fit the closed pattern of its field gives way to `[unfit]`,
 * `data` that JSON can't hold to a note; never throws.
 */
export function prepareRecord(entry: RecordEntry): PreparedRecord {
  const time = JSON.stringify(entry.time);
  const event = JSON.stringify(entry.event);
  const outcome = JSON.stringify(entry.outcome);
  const errorCode = fitting(ERROR_CODE, entry.errorCode);
  const platformId = fitting(ID, entry.platformId);
  const accountId = fitting(ID, entry.accountId);
  const algorithm = JSON.stringify(entry.algorithm);
  const payloadDigest = fitting(DIGEST, entry.payloadDigest);
  const signatureDigest = fitting(DIGEST, entry.signatureDigest);
  const data = dataText(entry.data);
  const correlationId = fitting(CORRELATION_ID, entry.correlationId);
  const traceparent = entry.traceparent == null ? '' : `"traceparent":${fitting(TRACEPARENT, entry.traceparent)}`;
  const batchRequestId = fitting(BATCH_REQUEST_ID, entry.batchRequestId);
  const principal = JSON.stringify(wellFormed(entry.principal));
  const remoteAddress = fitting(REMOTE_ADDRESS, entry.remoteAddress);
  const durationMs = JSON.stringify(entry.durationMs);
  const instanceId = fitting(ID, entry.instanceId);
  return {
    time: entry.time,
    line:
      `"time":${time},"event":${event},"outcome":${outcome},"errorCode":${errorCode},"platformId":${platformId},` +
      `"accountId":${accountId},"algorithm":${algorithm},"payloadDigest":${payloadDigest},` +
      `"signatureDigest":${signatureDigest},"data":${data},"correlationId":${correlationId},` +
      `${traceparent === '' ? '' : `${traceparent},`}"batchRequestId":${batchRequestId},"principal":${principal},` +
      `"remoteAddress":${remoteAddress},"durationMs":${durationMs},"instanceId":${instanceId}`,
    canonical: [
      `{"accountId":${accountId},"algorithm":${algorithm},"batchRequestId":${batchRequestId},` +
        `"correlationId":${correlationId},"data":${data},"durationMs":${durationMs},"errorCode":${errorCode},` +
        `"event":${event},"instanceId":${instanceId},"outcome":${outcome},"payloadDigest":${payloadDigest},` +
        `"platformId":${platformId}`,
      `"principal":${principal},"remoteAddress":${remoteAddress}`,
      `"signatureDigest":${signatureDigest},"time":${time}${traceparent === '' ? '' : `,${traceparent}`}}`,
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
  const prevHash = JSON.stringify(head.hash);
  const [first, second, third] = canonical;
  const hash = sha256Of(`${first},"prevHash":${prevHash},${second},"seq":${seq},${third}`);
  const text = `{"seq":${seq},${line},"prevHash":${prevHash},"hash":"${hash}"}`;
  return { line: NOT_PLAIN.test(text) ? text.replace(TREACHEROUS, escapeCharacter) : text, head: { seq, hash } };
}

/** The line that the service writes for this record: whether a line says what it seems to is whether it is this. */
export function lineOf(record: AuditRecord): ChainedLine {
  return chainRecord(prepareRecord(record), { seq: record.seq - 1, hash: record.prevHash });
}

function whole(source: string): RegExp {
  return new RegExp(`^${source}$`);
}

function fitting(fits: RegExp, value: string | null): string {
  return JSON.stringify(value === null || fits.test(value) ? value : pattern.UNFIT);
}

function wellFormed(text: string | null): string | null {
  return text === null ? null : text.slice(0, pattern.MAX_PRINCIPAL_LENGTH).replace(LONE_SURROGATE, '\ufffd');
}

function dataText(data: RecordEntry['data']): string {
  if (data === null) return 'null';
  try {
    const text = canonicalJson(data);
    if (!isJson(text)) return OMITTED_DATA;
    const bytes = text.length * (NOT_PLAIN.test(text) ? MAX_BYTES_PER_UNIT : 1);
    return bytes > MAX_DATA_BYTES ? OMITTED_LONG_DATA : text;
  } catch {
    return OMITTED_DATA;
  }
}

/** What is no JSON value after all, such as a member that is undefined, would make a line that nobody can verify. */
function isJson(text: string): boolean {
  if (!NOT_PLAIN.test(text) && !text.includes('\\') && isPlainCanonicalObject(text)) return true;
  return canonicalJson(JSON.parse(text) as JsonValue) === text;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
