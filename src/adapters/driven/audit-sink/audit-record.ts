import type { AuditEntry } from '../../../domain/model/audit-entry.ts';

/** Stands in `data` when the data itself can't be written, so that the rest of the record is not lost with it. */
const OMITTED_DATA = { omitted: 'can not be written as JSON' } as const;

/**
 * Characters that JSON leaves as they are, but that end a line for some readers (U+2028, U+2029, U+0085), steer a terminal (the other
 * C1 controls, U+007F) or turn the order of what is shown around (the bidirectional controls of Unicode UAX #9).
 */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * One audit record: a JSON object (RFC 8259) on exactly one line, without the newline that ends it. It has these fields in this order and
 * no others, whatever else the object passed in carries; a field that does not apply is null. Never throws: `data` that JSON can't hold
 * (too deep, circular) gives way to a note.
 */
export function auditRecord(entry: AuditEntry): string {
  return toJson(recordOf(entry)).replace(TREACHEROUS, escapeCharacter);
}

/**
 * The fixed fields, in their fixed order. The hash chain has its place here: `seq` before the first, `prevHash` and `hash` after the last.
 */
function recordOf(entry: AuditEntry): AuditEntry {
  return {
    time: entry.time,
    event: entry.event,
    outcome: entry.outcome,
    errorCode: entry.errorCode,
    platformId: entry.platformId,
    accountId: entry.accountId,
    algorithm: entry.algorithm,
    payloadDigest: entry.payloadDigest,
    signatureDigest: entry.signatureDigest,
    data: entry.data,
    correlationId: entry.correlationId,
    batchRequestId: entry.batchRequestId,
    principal: entry.principal,
    remoteAddress: entry.remoteAddress,
    durationMs: entry.durationMs,
    instanceId: entry.instanceId,
  };
}

function toJson(record: AuditEntry): string {
  try {
    return JSON.stringify(record);
  } catch {
    return JSON.stringify({ ...record, data: OMITTED_DATA });
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
