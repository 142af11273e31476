import { type KeyObject, verify } from 'node:crypto';
import {
  type AuditCheckpoint,
  type AuditHead,
  ENTRY_FIELDS,
  FORMAT_VERSION,
  RECORD_FIELDS,
  type RecordEntry,
} from '../../../domain/model/audit-entry.ts';
import { sha256Of } from '../../node/sha256.ts';

/** Longest line with its newline, bytes. */
export const MAX_LINE_BYTES = 65_536;

/** An entry as text: made when it is submitted, before its place in the chain is known. */
export interface RecordContent {
  /** Members from `time` to `instanceId`, each after a comma: JSON on one line. */
  readonly members: string;
  /** As in the record. */
  readonly time: string;
  /** As in the record. */
  readonly instanceId: string;
}

/** Signs records without exposing the secret key. */
export interface AuditSigningKey {
  /** Ed25519 public key (RFC 8032), 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** A record in its place in the chain. */
export interface ChainedRecord {
  readonly content: RecordContent;
  /** Without newline. */
  readonly line: string;
  readonly head: AuditHead & { readonly hash: string };
  /** Null when not signed. */
  readonly checkpoint: AuditCheckpoint | null;
}

/** The head before the first record. */
export const EMPTY_CHAIN: AuditHead = { seq: 0, hash: null };

const MEMBERS = ENTRY_FIELDS.map(({ name, write }) => ({ name, start: `,"${name}":`, write }));

const TOO_LONG = { omitted: 'too long' };
/** Longest `v`, `seq`, `prevHash` and `sig` with braces and newline. Bytes. */
const CHAIN_MEMBERS_BYTES = 256;
const MAX_CONTENT_BYTES = MAX_LINE_BYTES - CHAIN_MEMBERS_BYTES;
const DOMAIN = 'signing-service audit record v2';

/**
 * Writes an entry in the order of fields, line breaks and control characters escaped. Values that
 * do not match their pattern become `[invalid]`; a note replaces `data` that is not JSON or too
 * long. Never throws.
 */
export function recordContent(entry: RecordEntry): RecordContent {
  const members = toMembers(entry);
  return {
    members: isShort(members) ? members : toMembers({ ...entry, data: TOO_LONG }),
    time: entry.time,
    instanceId: RECORD_FIELDS.instanceId.write(entry.instanceId).slice(1, -1),
  };
}

/** Concatenates, which is faster than `map` and `join`: it runs for each signature. */
function toMembers(entry: RecordEntry): string {
  let members = '';
  for (const { name, start, write } of MEMBERS) {
    const value = entry[name];
    members += start + (value === null ? 'null' : write(value));
  }
  return members;
}

/** At most three bytes per UTF-16 unit: most need no exact count. */
function isShort(members: string): boolean {
  return members.length * 3 < MAX_CONTENT_BYTES || Buffer.byteLength(members) < MAX_CONTENT_BYTES;
}

/**
 * The signed text: domain, instance id, number and hash of the line up to `,"sig":`, one per line.
 */
export function signedText({ instanceId, seq, hash }: Omit<AuditCheckpoint, 'sig'>): string {
  return `${DOMAIN}\n${instanceId}\n${seq}\n${hash}\n`;
}

/** Chains the content of a record to `head`, unsigned. */
export function chainContent(content: RecordContent, { seq, hash }: AuditHead): ChainedRecord {
  const prevHash = hash === null ? null : `"${hash}"`;
  const line = `{"v":${FORMAT_VERSION},"seq":${seq + 1}${content.members},"prevHash":${prevHash}}`;
  return { content, line, head: { seq: seq + 1, hash: sha256Of(line) }, checkpoint: null };
}

/** Signs the last record of a group, and thereby all before it. */
export function signRecord({ content, line, head: { seq } }: ChainedRecord, key: AuditSigningKey): ChainedRecord {
  const { instanceId, time } = content;
  const unsigned = line.slice(0, -'}'.length);
  const signable = { instanceId, seq, time, hash: sha256Of(unsigned) };
  const sig = Buffer.from(key.sign(Buffer.from(signedText(signable)))).toString('base64');
  const signed = `${unsigned},"sig":"${sig}"}`;
  return { content, line: signed, head: { seq, hash: sha256Of(signed) }, checkpoint: { ...signable, sig } };
}

/** Verifies a signature of {@link signedText}. */
export function isSignedBy(checkpoint: AuditCheckpoint, key: KeyObject): boolean {
  return verify(null, Buffer.from(signedText(checkpoint)), key, Buffer.from(checkpoint.sig, 'base64'));
}
