import type { AuditCheckpoint } from '../../../../../src/domain/model/audit-entry.ts';

/** A checkpoint in its form; its signature is none. */
export function sampleCheckpoint(seq: number): AuditCheckpoint {
  const [hash, sig] = [`sha256:${'0a'.repeat(32)}`, `${'A'.repeat(86)}==`];
  return { instanceId: 'signer-1', seq, time: '2026-11-20T08:49:00.123Z', hash, sig };
}
