import {
  type AuditCheckpoint,
  type AuditRecord,
  FIELD_LIST,
  FORMAT_VERSION,
  type NamedField,
  PATTERNS,
} from '../../../domain/model/audit-entry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/model/json.ts';
import { sha256Of } from '../../node/sha256.ts';

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
  // Not a copy, which would take as long as all the rest.
  return Object.assign(record, { hash: sha256Of(line), checkpoint: getCheckpoint(record, line) });
}

/** Whether a line without its newline ends like a signed record. */
export function isSignedLine(line: string): boolean {
  return SIGNATURE_MEMBER.test(line.slice(-SIGNATURE_MEMBER_LENGTH));
}

function getCheckpoint({ instanceId, seq, time, sig }: AuditRecord, line: string): AuditCheckpoint | null {
  if (sig === undefined) return null;
  return { instanceId, seq, time, hash: sha256Of(line.slice(0, -SIGNATURE_MEMBER_LENGTH)), sig };
}

function parse(line: string): JsonValue {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** All fields in order; only `sig`, the last one, may be absent. */
function isRecord(value: JsonValue): value is AuditRecord & JsonObject {
  if (!isJsonObject(value)) return false;
  const names = Object.keys(value);
  return names.length >= FIELD_LIST.length - 1 && names.every((name, index) => isField(FIELD_LIST[index], name, value));
}

function isField(field: NamedField | undefined, name: string, record: JsonObject): boolean {
  if (field?.name !== name) return false;
  const value = record[name] ?? null;
  return value === null ? field.nullWhen !== undefined : field.accepts(value);
}

function findOtherVersion(value: JsonValue): LineIssue | null {
  if (!isJsonObject(value) || !Number.isSafeInteger(value['seq'])) return null;
  const { v: version } = value;
  if (!Number.isSafeInteger(version) || version === FORMAT_VERSION) return null;
  return { issue: `has audit format version ${version}; this release reads version ${FORMAT_VERSION}` };
}
