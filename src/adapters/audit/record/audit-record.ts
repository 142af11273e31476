import type { AuditHead, AuditRecord } from '../../../domain/model/audit-entry.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import { escapeUnsafe } from '../../../domain/model/text/unsafe-characters.ts';

/** A record that is not in a chain yet. */
export type RecordEntry = Omit<AuditRecord, 'v' | 'seq' | 'prevHash' | 'sig'>;

/** Version of the record format. */
export const FORMAT_VERSION: AuditRecord['v'] = 2;

/** The head before the first record. */
export const EMPTY_CHAIN: AuditHead = { seq: 0, hash: null };

/** Longest line with its newline, bytes. */
export const MAX_LINE_BYTES = 65_536;

/** Longest `principal`, UTF-16 units. */
export const MAX_PRINCIPAL_LENGTH = 1024;

/** Replaces a value that does not match the pattern of its field. */
export const INVALID = '[invalid]';

/**
 * Field patterns without anchors, published in config/audit-record.schema.json: no ECMAScript-only
 * syntax.
 */
export const PATTERNS = {
  /** ISO 8601 UTC with milliseconds. */
  time: '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z',
  errorCode: '[A-Z][A-Z0-9_]{0,63}',
  /** Platform, account or instance id; see `domain/model/account.ts`. */
  id: '[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}',
  algorithm: '[a-z0-9][a-z0-9-]{0,31}',
  keyId: '[A-Za-z0-9][A-Za-z0-9:_-]{0,127}',
  /** Names joined by commas; see `AuditEntry.policy`. */
  policy: '[\\x21-\\x7e]{1,512}',
  /** SHA-256. */
  digest: 'sha256:[0-9a-f]{64}',
  correlationId: '[A-Za-z0-9][A-Za-z0-9._:@+/=-]{0,127}',
  /** W3C Trace Context §3.2, the fields of version 00. */
  traceparent: '[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}',
  /** Visible ASCII. */
  batchRequestId: '[\\x21-\\x7e]{1,128}',
  remoteAddress: '[0-9A-Za-z.:%_-]{1,128}',
  /** Ed25519 signature, base64. */
  sig: '[A-Za-z0-9+/]{85}[AQgw]==',
} as const;

const FITS = {
  errorCode: anchored(PATTERNS.errorCode),
  id: anchored(PATTERNS.id),
  algorithm: anchored(PATTERNS.algorithm),
  keyId: anchored(PATTERNS.keyId),
  policy: anchored(PATTERNS.policy),
  digest: anchored(PATTERNS.digest),
  correlationId: anchored(PATTERNS.correlationId),
  traceparent: anchored(PATTERNS.traceparent),
  batchRequestId: anchored(PATTERNS.batchRequestId),
  remoteAddress: anchored(PATTERNS.remoteAddress),
};

const OMITTED_DATA = '{"omitted":"cannot be serialized as JSON"}';
const OMITTED_LONG_DATA = '{"omitted":"too long"}';
/** Longest `sig`, `v`, `seq` and `prevHash` with braces and newline. Bytes. */
const CHAIN_MEMBERS_BYTES = 256;
const MAX_CONTENT_BYTES = MAX_LINE_BYTES - CHAIN_MEMBERS_BYTES;

/** An entry as text: made when it is submitted, before its place in the chain is known. */
export interface RecordContent {
  /** Members from `time` to `instanceId`: JSON on one line, without braces. */
  readonly members: string;
  /** As in the record. */
  readonly time: string;
  /** As in the record. */
  readonly instanceId: string;
}

/**
 * Writes an entry in the order of fields, line breaks and control characters escaped. Values that
 * do not match their pattern become `[invalid]`; a note replaces `data` that is not JSON or too
 * long. Never throws.
 */
export function recordContent(entry: RecordEntry): RecordContent {
  const instanceId = FITS.id.test(entry.instanceId) ? entry.instanceId : INVALID;
  const { time, event, outcome } = entry;
  const before =
    `"time":${toJson(time)},"event":"${event}","outcome":"${outcome}"` +
    `,"errorCode":${fitting(FITS.errorCode, entry.errorCode)}` +
    `,"platformId":${fitting(FITS.id, entry.platformId)},"accountId":${fitting(FITS.id, entry.accountId)}` +
    `,"algorithm":${fitting(FITS.algorithm, entry.algorithm)},"keyId":${fitting(FITS.keyId, entry.keyId)}` +
    `,"policy":${quoted(FITS.policy, entry.policy)},"payloadDigest":${fitting(FITS.digest, entry.payloadDigest)}` +
    `,"signatureDigest":${fitting(FITS.digest, entry.signatureDigest)},"data":`;
  const after =
    `,"correlationId":${fitting(FITS.correlationId, entry.correlationId)}` +
    `,"traceparent":${fitting(FITS.traceparent, entry.traceparent)}` +
    `,"batchRequestId":${quoted(FITS.batchRequestId, entry.batchRequestId)}` +
    `,"principal":${entry.principal === null ? null : toJson(wellFormed(entry.principal))}` +
    `,"remoteAddress":${fitting(FITS.remoteAddress, entry.remoteAddress)},"durationMs":${toJson(entry.durationMs)}` +
    `,"instanceId":"${instanceId}"`;
  const data = toJson(entry.data);
  const shown = data ?? OMITTED_DATA;
  const members = before + (fits(before, shown, after) ? shown : OMITTED_LONG_DATA) + after;
  return { members, time, instanceId };
}

/** At most three bytes per UTF-16 unit: most need no exact count. */
function fits(...texts: readonly string[]): boolean {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length * 3 < MAX_CONTENT_BYTES) return true;
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) < MAX_CONTENT_BYTES;
}

/** The line of a record without newline, unsigned. */
export function recordLine({ members }: RecordContent, { seq, hash }: AuditHead): string {
  return `{"v":${FORMAT_VERSION},"seq":${seq + 1},${members},"prevHash":${hash === null ? null : `"${hash}"`}}`;
}

/** Null for what JSON cannot hold. */
function toJson(value: JsonValue): string | null {
  try {
    return escapeUnsafe(JSON.stringify(value));
  } catch {
    return null;
  }
}

/** Lone surrogates have no UTF-8 form. */
function wellFormed(text: string): string {
  return text.slice(0, MAX_PRINCIPAL_LENGTH).replace(/\p{Surrogate}/gu, '\ufffd');
}

/** As JSON; the pattern allows no character that JSON escapes. */
function fitting(pattern: RegExp, value: string | null): string {
  if (value === null) return 'null';
  return pattern.test(value) ? `"${value}"` : `"${INVALID}"`;
}

/** As JSON; the pattern allows visible ASCII. */
function quoted(pattern: RegExp, value: string | null): string {
  return value === null || !pattern.test(value) ? fitting(pattern, value) : JSON.stringify(value);
}

/** A pattern for whole values. */
export function anchored(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}
