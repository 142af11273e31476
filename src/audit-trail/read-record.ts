import type { JsonObject } from '../domain/model/json.ts';
import { canonicalJson } from '../domain/payload/jcs.ts';
import { type AuditRecord, RECORD_EVENTS, type RecordEvent } from './audit-record.ts';
import { isPlainCanonicalObject } from './plain-json.ts';
import { lineOf } from './prepared-record.ts';
import * as pattern from './record-patterns.ts';
import { asRecord } from './record-schema.ts';
import { sha256Of } from './sha256.ts';

/** What a reader of the chain wants of a line that is a record, written as the service writes it, with the hash that it says. */
export interface ReadRecord {
  readonly seq: number;
  readonly time: string;
  readonly event: RecordEvent;
  readonly outcome: string;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly algorithm: string | null;
  readonly instanceId: string;
  readonly prevHash: string | null;
  readonly hash: string;
  /** Of segment and checkpoint records; that of others is checked, but not read, and null here. */
  readonly data: JsonObject | null;
}

/** Why a line is not a record. */
export interface LineFault {
  readonly fault: string;
}

/** What is wrong with a line that is none of an audit file. */
export const NOT_A_RECORD: LineFault = { fault: 'is not an audit record' };
const ALTERED: LineFault = { fault: 'was altered: its content does not have the hash that it says' };
const NOT_AS_WRITTEN: LineFault = { fault: 'was altered: it is not written as the service writes it' };

/**
 * A record as the service writes it where nothing had to be escaped, which is nearly every one: a group for each value, as it stands. Of `data` only the braces are seen
 * here. Numbers of more digits, which may not be exact, are left to the slow way. No group but that of `data` can run across a quote, so that matching takes time in proportion to the line.
 */
const PLAIN_LINE = new RegExp(
  `^\\{"seq":([1-9][0-9]{0,14}),"time":"(${pattern.TIME})","event":"([a-z]+)","outcome":"(success|refused|failed)",` +
    `"errorCode":(${orNull(pattern.ERROR_CODE)}),"platformId":(${orUnfit(pattern.IDENTIFIER)}),` +
    `"accountId":(${orUnfit(pattern.IDENTIFIER)}),"algorithm":(${orNull(pattern.ALGORITHM)}),` +
    `"payloadDigest":(${orNull(pattern.DIGEST)}),"signatureDigest":(${orNull(pattern.DIGEST)}),` +
    '"data":(null|\\{[\\x20-\\x5b\\x5d-\\x7e]*\\}),' +
    `"correlationId":(${orUnfit(pattern.CORRELATION_ID)}),(?:"traceparent":("${pattern.TRACEPARENT}"),)?"batchRequestId":(null|"[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}"),` +
    `"principal":(null|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{0,${pattern.MAX_PRINCIPAL_LENGTH}}"),` +
    `"remoteAddress":(${orUnfit(pattern.REMOTE_ADDRESS)}),"durationMs":(null|[0-9.e+-]+),` +
    `"instanceId":"(${pattern.IDENTIFIER})","prevHash":(${orNull(pattern.DIGEST)}),"hash":"(${pattern.DIGEST})"\\}$`,
);

const EVENTS: ReadonlySet<string> = new Set(RECORD_EVENTS);

/**
 * Reads one line, given as text without its newline. The line has to be exactly what the service writes for this record, to the byte, and its `hash` that
 * of its content; whether it fits its neighbours is for the caller to see.
 */
export function readRecord(line: string): ReadRecord | LineFault {
  const match = PLAIN_LINE.exec(line);
  return match === null ? readParsed(line) : readPlain(match);
}

/** Puts the values, as they stand, in the order of the canonical form: several times as fast as to parse the line and write it anew. */
function readPlain(match: RegExpExecArray): ReadRecord | LineFault {
  const seq = match[1] as string;
  const time = match[2] as string;
  const event = match[3] as string;
  const outcome = match[4] as string;
  const platformId = match[6] as string;
  const accountId = match[7] as string;
  const algorithm = match[8] as string;
  const dataText = match[11] as string;
  const durationMs = match[17] as string;
  const instanceId = match[18] as string;
  const prevHash = match[19] as string;
  const hash = match[20] as string;

  if (!isDataAsWritten(dataText) || !isNumberAsWritten(durationMs) || !EVENTS.has(event)) return NOT_AS_WRITTEN;
  const traceparent = match[13] === undefined ? '' : `,"traceparent":${match[13]}`;
  const canonical =
    `{"accountId":${accountId},"algorithm":${algorithm},"batchRequestId":${match[14]},"correlationId":${match[12]},` +
    `"data":${dataText},"durationMs":${durationMs},"errorCode":${match[5]},"event":"${event}",` +
    `"instanceId":"${instanceId}","outcome":"${outcome}","payloadDigest":${match[9]},"platformId":${platformId},` +
    `"prevHash":${prevHash},"principal":${match[15]},"remoteAddress":${match[16]},"seq":${seq},` +
    `"signatureDigest":${match[10]},"time":"${time}"${traceparent}}`;
  if (sha256Of(canonical) !== hash) return ALTERED;
  return {
    seq: Number(seq),
    time: detached(time),
    event: event as RecordEvent,
    outcome,
    platformId: unquoted(platformId),
    accountId: unquoted(accountId),
    algorithm: unquoted(algorithm),
    instanceId: detached(instanceId),
    prevHash: unquoted(prevHash),
    hash: detached(hash),
    data: isOwnEvent(event) ? JSON.parse(dataText) : null,
  };
}

function readParsed(line: string): ReadRecord | LineFault {
  const record = recordIn(line);
  if (record === null) return NOT_A_RECORD;
  const written = lineOf(record);
  if (written.head.hash !== record.hash) return ALTERED;
  if (written.line !== line) return NOT_AS_WRITTEN;
  return { ...record, data: isOwnEvent(record.event) ? record.data : null };
}

/** Null also for JSON that is nested too deeply to be looked at. */
function recordIn(line: string): AuditRecord | null {
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Whether this is `null` or an object in canonical form. */
function isDataAsWritten(text: string): boolean {
  return text === 'null' || isPlainCanonicalObject(text) || isCanonical(text);
}

function isCanonical(text: string): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/** Whether this is `null` or a number in canonical form, which is how ECMAScript writes it. @param text of digits, `.`, `e`, `+` and `-`, or `null` */
function isNumberAsWritten(text: string): boolean {
  return text === 'null' || String(Number(text)) === text;
}

/** Of records that the file itself needs. */
function isOwnEvent(event: string): boolean {
  return event === 'checkpoint' || event === 'segment';
}

/** The text in a value without escapes, null for `null`. */
function unquoted(value: string): string | null {
  return value === 'null' ? null : detached(value.slice(1, -1));
}

/** The same text in memory of its own. A part of a longer text keeps all of that in memory (V8 slices), here 64 KiB of the file, as long as anybody keeps the part. */
function detached(text: string): string {
  return ` ${text}`.slice(1);
}

function orNull(source: string): string {
  return `null|"(?:${source})"`;
}

function orUnfit(source: string): string {
  return orNull(`${source}|\\[unfit\\]`);
}
