import { z } from 'zod';
import { type AuditCheckpoint, type AuditRecord, RECORD_EVENTS } from '../../../domain/model/audit-entry.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import { sha256Of } from '../../node/sha256.ts';
import { anchored, FORMAT_VERSION, INVALID, MAX_PRINCIPAL_LENGTH, PATTERNS } from './audit-record.ts';

/** One line of the audit file. */
export const recordSchema = z
  .strictObject({
    v: z.literal(FORMAT_VERSION).describe('Version of this format.'),
    seq: z.int().min(1).describe('Number in the chain: 1, 2, 3 …, without gaps, across files and restarts.'),
    time: z.string().regex(anchored(PATTERNS.time)).describe('ISO 8601 UTC with milliseconds.'),
    event: z.enum(RECORD_EVENTS).describe('Type of event.'),
    outcome: z
      .enum(['success', 'refused', 'failed'])
      .describe('success, refused (the request was at fault) or failed (the service was at fault).'),
    errorCode: field(PATTERNS.errorCode, 'Error code that the caller received; null on success.'),
    platformId: field(PATTERNS.id, 'Platform ID, as requested.'),
    accountId: field(PATTERNS.id, 'Account ID, as requested.'),
    algorithm: field(
      PATTERNS.algorithm,
      'Algorithm of the account, or of the named rule if that overrides it; null if the account does not exist.',
    ),
    keyId: field(
      PATTERNS.keyId,
      "Short name of the account's key; null without an account, and in records of releases that did not record it.",
    ),
    policy: field(PATTERNS.policy, 'Names of the policies that decided, joined by commas; null if none did.'),
    payloadDigest: field(
      PATTERNS.digest,
      'SHA-256 of the signed bytes, or of the bytes that a verified signature covers.',
    ),
    signatureDigest: field(
      PATTERNS.digest,
      'SHA-256 of the signature text, as returned or as submitted for verification.',
    ),
    data: z
      .record(z.string(), z.json())
      .nullable()
      .describe(
        "Event sign: the request's data, masked, with the requested named rule as [rule]. Other events: facts about the event.",
      ),
    correlationId: field(PATTERNS.correlationId, 'Correlation ID, shared by the records and log lines of one request.'),
    traceparent: field(PATTERNS.traceparent, "The caller's position in a trace (W3C Trace Context)."),
    batchRequestId: field(PATTERNS.batchRequestId, "The caller's requestId within a batch."),
    principal: z
      .string()
      .max(MAX_PRINCIPAL_LENGTH)
      .nullable()
      .describe('Authenticated caller; null without authentication.'),
    remoteAddress: field(PATTERNS.remoteAddress, "The caller's IP address."),
    durationMs: z
      .number()
      .nullable()
      .describe('Milliseconds from the start of the attempt to the creation of the record.'),
    instanceId: z
      .string()
      .regex(anchored(orInvalid(PATTERNS.id)))
      .describe('Process that wrote the record.'),
    prevHash: z
      .string()
      .regex(anchored(PATTERNS.digest))
      .nullable()
      .describe('SHA-256 of the previous line without its newline; null in the first record of a chain.'),
    sig: z
      .string()
      .regex(anchored(PATTERNS.sig))
      .optional()
      .describe('Ed25519 signature of the audit key, base64; only in the last record of a group.'),
  })
  .describe('One line of the audit file.');

/** JSON Schema (draft 2020-12) of one line, published as config/audit-record.schema.json. */
export function recordJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(recordSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Audit record of the signing service', ...schema };
}

function field(source: string, description: string) {
  return z
    .string()
    .regex(anchored(orInvalid(source)))
    .nullable()
    .describe(description);
}

function orInvalid(source: string): string {
  return `${source}|${INVALID.replace('[', '\\[').replace(']', '\\]')}`;
}

/** A record with values derived from the bytes of its line. */
export interface ReadRecord extends AuditRecord {
  /** `sha256:<64 hex>` of the line: `prevHash` of the next record. */
  readonly hash: string;
  /** What the audit key signed; null for an unsigned record. */
  readonly checkpoint: AuditCheckpoint | null;
}

interface LineIssue {
  readonly issue: string;
}

/** The issue of a line that is not in any audit format. */
export const NOT_A_RECORD: LineIssue = { issue: 'is not an audit record' };

const FIELDS = Object.keys(recordSchema.shape).filter((name) => name !== 'sig');
/** Fields with their own check; all others are a string or null. */
const OTHER_TYPES: ReadonlySet<string> = new Set('v seq time event outcome data durationMs instanceId'.split(' '));
const TEXTS = FIELDS.filter((name) => !OTHER_TYPES.has(name));
const EVENTS: ReadonlySet<unknown> = new Set(RECORD_EVENTS);
const OUTCOMES: ReadonlySet<unknown> = new Set(['success', 'refused', 'failed']);
const TIME = anchored(PATTERNS.time);
const DIGEST = anchored(PATTERNS.digest);
/** End of a signed line; its length in UTF-16 units. */
const SIGNATURE_MEMBER = new RegExp(`^,"sig":"${PATTERNS.sig}"\\}$`);
const SIGNATURE_MEMBER_LENGTH = 98;

/**
 * Parses a line without newline; null for one that cannot be read. Checks neither chain nor
 * signature.
 */
export function readRecord(line: string | null): ReadRecord | LineIssue {
  if (line === null) return NOT_A_RECORD;
  const record = parse(line);
  if (!isRecord(record)) return findOtherVersion(record) ?? NOT_A_RECORD;
  // Only one spelling: nothing covers the bytes of the signature member.
  if (record.sig !== undefined && !isSignedLine(line)) return NOT_A_RECORD;
  return { ...record, hash: sha256Of(line), checkpoint: getCheckpoint(record, line) };
}

/** Whether a line without its newline ends like a signed record. */
export function isSignedLine(line: string): boolean {
  return SIGNATURE_MEMBER.test(line.slice(-SIGNATURE_MEMBER_LENGTH));
}

function getCheckpoint({ instanceId, seq, time, sig }: AuditRecord, line: string): AuditCheckpoint | null {
  if (sig === undefined) return null;
  return { instanceId, seq, time, hash: sha256Of(line.slice(0, -SIGNATURE_MEMBER_LENGTH)), sig };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as { readonly [name: string]: unknown };
  return (
    hasFields(record) &&
    record['v'] === FORMAT_VERSION &&
    Number.isSafeInteger(record['seq']) &&
    (record['seq'] as number) > 0 &&
    isText(record['time'], TIME) &&
    EVENTS.has(record['event']) &&
    OUTCOMES.has(record['outcome']) &&
    TEXTS.every((name) => record[name] === null || typeof record[name] === 'string') &&
    (record['data'] === null || isObject(record['data'])) &&
    (record['durationMs'] === null || typeof record['durationMs'] === 'number') &&
    typeof record['instanceId'] === 'string' &&
    (record['prevHash'] === null || isText(record['prevHash'], DIGEST))
  );
}

/** Version 1 had no `v`, but `hash` beside `prevHash`. */
function findOtherVersion(value: unknown): LineIssue | null {
  if (!isObject(value) || !Number.isSafeInteger(value['seq'])) return null;
  const isFirst = isText(value['hash'], DIGEST) && 'prevHash' in value;
  const { v: version = isFirst ? 1 : null } = value;
  if (!Number.isSafeInteger(version) || version === FORMAT_VERSION) return null;
  return { issue: `has audit format version ${version}; this release reads version ${FORMAT_VERSION}` };
}

/** All fields in order, then at most `sig`. */
function hasFields(record: object): boolean {
  const names = Object.keys(record);
  if (names.length > FIELDS.length + 1 || (names.length > FIELDS.length && names.at(-1) !== 'sig')) return false;
  return FIELDS.every((name, index) => names[index] === name);
}

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
