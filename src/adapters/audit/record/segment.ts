import type { JsonObject } from '../../../domain/model/json.ts';
import { decodeBase64 } from '../../../domain/model/text/byte-encodings.ts';

/** Why a file of a chain began. */
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

const PUBLIC_KEY_BYTES = 32;

/**
 * `data` of the first record of each file.
 * @param publicKey signs this file's records, 32 bytes
 */
export function segmentData(reason: SegmentReason, publicKey: Uint8Array): JsonObject {
  return { reason, auditPublicKey: Buffer.from(publicKey).toString('base64') };
}

/** The public key (32 bytes) named by a segment record, or null. */
export function getSegmentPublicKey(data: JsonObject | null): Buffer | null {
  const text = data?.['auditPublicKey'];
  return typeof text === 'string' ? parsePublicKey(text) : null;
}

/** Parses an audit public key (base64 of 32 bytes), or null. */
export function parsePublicKey(text: string): Buffer | null {
  const key = decodeBase64(text);
  return key?.length === PUBLIC_KEY_BYTES ? Buffer.from(key) : null;
}
