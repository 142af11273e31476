import { type KeyObject, verify } from 'node:crypto';
import { sha256Of } from '../../node/sha256.ts';
import { type ChainHead, type RecordContent, type RecordEntry, recordContent, recordLine } from './audit-record.ts';

/** Signs records without exposing the secret key. */
export interface AuditSigningKey {
  /** Ed25519 public key (RFC 8032), 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** A signed head of a chain. Kept elsewhere, it proves that all records up to it were written. */
export interface Checkpoint {
  /** The process that wrote the record. */
  readonly instanceId: string;
  readonly seq: number;
  /** Time of the record, ISO 8601 UTC; covered by `hash`. */
  readonly time: string;
  /** `sha256:<64 hex>` of the record's line up to `,"sig":`. */
  readonly hash: string;
  /** Ed25519 signature of {@link signedText}, base64 of 64 bytes. */
  readonly sig: string;
}

/** A record in its place in the chain. */
export interface ChainedRecord {
  readonly content: RecordContent;
  /** Without newline. */
  readonly line: string;
  readonly head: ChainHead & { readonly hash: string };
  /** Null when not signed. */
  readonly checkpoint: Checkpoint | null;
}

const DOMAIN = 'signing-service audit record v2';

/**
 * The signed text: domain, instance id, number and hash of the line up to `,"sig":`, one per line.
 */
export function signedText({ instanceId, seq, hash }: Omit<Checkpoint, 'sig'>): string {
  return `${DOMAIN}\n${instanceId}\n${seq}\n${hash}\n`;
}

/** Chains an entry to `head`, unsigned. */
export function chainEntry(entry: RecordEntry, head: ChainHead): ChainedRecord {
  return chainContent(recordContent(entry), head);
}

/** Chains the content of a record to `head`, unsigned. */
export function chainContent(content: RecordContent, head: ChainHead): ChainedRecord {
  const line = recordLine(content, head);
  return { content, line, head: { seq: head.seq + 1, hash: sha256Of(line) }, checkpoint: null };
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

export function isSignedBy(checkpoint: Checkpoint, key: KeyObject): boolean {
  return verify(null, Buffer.from(signedText(checkpoint)), key, Buffer.from(checkpoint.sig, 'base64'));
}
