import { type KeyObject, verify } from 'node:crypto';
import type { AuditCheckpoint, AuditHead } from '../../../domain/model/audit-entry.ts';
import { sha256Of } from '../../node/sha256.ts';
import { type RecordContent, type RecordEntry, recordContent, recordLine } from './audit-record.ts';

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

const DOMAIN = 'signing-service audit record v2';

/**
 * The signed text: domain, instance id, number and hash of the line up to `,"sig":`, one per line.
 */
export function signedText({ instanceId, seq, hash }: Omit<AuditCheckpoint, 'sig'>): string {
  return `${DOMAIN}\n${instanceId}\n${seq}\n${hash}\n`;
}

/** Chains an entry to `head`, unsigned. */
export function chainEntry(entry: RecordEntry, head: AuditHead): ChainedRecord {
  return chainContent(recordContent(entry), head);
}

/** Chains the content of a record to `head`, unsigned. */
export function chainContent(content: RecordContent, head: AuditHead): ChainedRecord {
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

export function isSignedBy(checkpoint: AuditCheckpoint, key: KeyObject): boolean {
  return verify(null, Buffer.from(signedText(checkpoint)), key, Buffer.from(checkpoint.sig, 'base64'));
}
