import type { JsonObject } from '../domain/model/json.ts';
import { type AuditRecord, FORMAT_VERSION, PATTERNS, RECORD_EVENTS, sha256Of } from './audit-record.ts';
import { recordSchema } from './record-schema.ts';
import type { Checkpoint } from './signed-record.ts';

/** A record as it was read, with what its line's bytes say. */
export interface ReadRecord extends AuditRecord {
  /** `sha256:<64 hex>` of the line: `prevHash` of the next record. */
  readonly hash: string;
  /** What the audit key signed with this record; null where it is not signed. */
  readonly checkpoint: Checkpoint | null;
}

/** Why a line is not a record. */
export interface LineFault {
  readonly fault: string;
}

/** What is wrong with a line that belongs to no audit file. */
export const NOT_A_RECORD: LineFault = { fault: 'is not an audit record' };

/** The fields of every line, in their order. */
const FIELDS = Object.keys(recordSchema.shape).filter((name) => name !== 'sig');
/** Fields whose values are looked at one by one; all others are a text or null. */
const OTHER_TYPES: ReadonlySet<string> = new Set('v seq time event outcome data durationMs instanceId'.split(' '));
const TEXTS = FIELDS.filter((name) => !OTHER_TYPES.has(name));
const EVENTS: ReadonlySet<unknown> = new Set(RECORD_EVENTS);
const OUTCOMES: ReadonlySet<unknown> = new Set(['success', 'refused', 'failed']);
const TIME = new RegExp(`^${PATTERNS.time}$`);
const DIGEST = new RegExp(`^${PATTERNS.digest}$`);
/** The end of a signed line, and its length in UTF-16 units. */
const SIGNATURE_MEMBER = new RegExp(`^,"sig":"${PATTERNS.sig}"\\}$`);
const SIGNATURE_MEMBER_LENGTH = 98;

/**
 * Reads one line, given as text without its newline. Whether it fits its neighbours, and whether
 * the audit key signed it, is for the caller to check.
 */
export function readRecord(line: string): ReadRecord | LineFault {
  const record = parse(line);
  if (!isRecord(record)) return findOtherVersion(record) ?? NOT_A_RECORD;
  // Behind a signature nothing covers a byte: it stands there in one spelling only.
  if (record.sig !== undefined && !isSignedLine(line)) return NOT_A_RECORD;
  return { ...record, hash: sha256Of(line), checkpoint: checkpointOf(record, line) };
}

/** Whether a line without its newline ends as signed records do. */
export function isSignedLine(line: string): boolean {
  return SIGNATURE_MEMBER.test(line.slice(-SIGNATURE_MEMBER_LENGTH));
}

/** The checkpoint that a line without its newline holds, where it is signed. */
function checkpointOf({ instanceId, seq, time, sig }: AuditRecord, line: string): Checkpoint | null {
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

/** Records of version 1 had no `v`, and their hash beside that of the record before. */
function findOtherVersion(value: unknown): LineFault | null {
  if (!isObject(value) || !Number.isSafeInteger(value['seq'])) return null;
  const isFirst = isText(value['hash'], DIGEST) && 'prevHash' in value;
  const { v: version = isFirst ? 1 : null } = value;
  if (!Number.isSafeInteger(version) || version === FORMAT_VERSION) return null;
  return { fault: `is of audit format version ${version}; this release reads version ${FORMAT_VERSION}` };
}

/** Every field, in their order, and behind them at most `sig`. */
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
