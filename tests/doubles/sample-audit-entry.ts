import { type AuditEntry, type AuditRecord, NO_REQUEST } from '../../src/domain/model/audit-entry.ts';

/** An entry of a released signature with some fields replaced. */
export function sampleAuditEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...NO_REQUEST,
    time: '2026-11-20T08:49:00.123Z',
    event: 'sign',
    outcome: 'success',
    platformId: 'alpha',
    accountId: 'main',
    algorithm: 'ed25519',
    payloadDigest: `sha256:${'0a'.repeat(32)}`,
    signatureDigest: `sha256:${'0b'.repeat(32)}`,
    data: { instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '[masked]' }, nonce: 1763628540123 },
    correlationId: 'c-1',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    remoteAddress: '127.0.0.1',
    durationMs: 1.25,
    instanceId: 'instance-1',
    ...fields,
  };
}

/** The first record of a chain, of that entry, with some fields replaced. */
export function sampleAuditRecord(fields: Partial<AuditRecord> = {}): AuditRecord {
  return { ...sampleAuditEntry(), v: 2, seq: 1, prevHash: null, ...fields };
}
