import type { JsonObject } from '../domain/model/json.ts';

/** Why a file of a chain was begun. */
export const SEGMENT_REASONS = [
  'first',
  'size',
  'age',
  'key',
  'reopened',
  'missing',
  'removed',
  'truncated',
  'changed',
  'write-error',
] as const;

/** See {@link SEGMENT_REASONS}. */
export type SegmentReason = (typeof SEGMENT_REASONS)[number];

/** What the first record of each file says in `data`. */
export interface Segment {
  readonly reason: SegmentReason;
  /** Public half of the key that signs this file's records: base64 of 32 bytes. */
  readonly auditPublicKey: string;
}

const PUBLIC_KEY_BYTES = 32;

/** The `data` of a segment record. */
export function segmentData(reason: SegmentReason, publicKey: Uint8Array): JsonObject {
  return { reason, auditPublicKey: Buffer.from(publicKey).toString('base64') };
}

/** The public key (32 bytes) that a segment record names, or null when it names none. */
export function publicKeyOf(data: JsonObject | null): Buffer | null {
  const text = data?.['auditPublicKey'];
  if (typeof text !== 'string') return null;
  const key = Buffer.from(text, 'base64');
  return key.length === PUBLIC_KEY_BYTES && key.toString('base64') === text ? key : null;
}
