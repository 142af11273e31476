import { z } from 'zod';
import { type AuditRecord, RECORD_EVENTS } from './audit-record.ts';
import * as pattern from './record-patterns.ts';

/** One record as it stands on a line: every field, `traceparent` only where there is one, and no other. That the line is written as the service writes it is for `readRecord` to check. */
export const recordSchema = z
  .strictObject({
    seq: z
      .int()
      .min(1)
      .describe('Number of the record in its chain, from 1, without a gap; goes on across files and restarts.'),
    time: text(pattern.TIME).describe('ISO 8601 UTC with milliseconds.'),
    event: z.enum(RECORD_EVENTS).describe('What the record is about.'),
    outcome: z
      .enum(['success', 'refused', 'failed'])
      .describe('success: done; refused: the request was at fault; failed: the service was.'),
    errorCode: text(pattern.ERROR_CODE).nullable().describe('The code that the caller got; null on success.'),
    platformId: orUnfit(pattern.IDENTIFIER).describe('As requested.'),
    accountId: orUnfit(pattern.IDENTIFIER).describe('As requested.'),
    algorithm: text(pattern.ALGORITHM).nullable().describe('Of the account; null when there is no such account.'),
    payloadDigest: text(pattern.DIGEST)
      .nullable()
      .describe('SHA-256 of the bytes that were signed, or that a verified signature had to be over.'),
    signatureDigest: text(pattern.DIGEST)
      .nullable()
      .describe(
        'SHA-256 of the signature text as it was returned, or given to be verified; null when none was released.',
      ),
    data: z
      .record(z.string(), z.json())
      .nullable()
      .describe("event sign: the request's data, masked; other events: facts about the event."),
    correlationId: orUnfit(pattern.CORRELATION_ID).describe('Ties the records and log lines of one call together.'),
    traceparent: text(`${pattern.TRACEPARENT}|\\[unfit\\]`)
      .optional()
      .describe("The caller's place in a trace (W3C Trace Context); absent where the caller named none."),
    batchRequestId: orUnfit(pattern.BATCH_REQUEST_ID).describe("The caller's requestId within a batch."),
    principal: z
      .string()
      .max(pattern.MAX_PRINCIPAL_LENGTH)
      .nullable()
      .describe('Authenticated caller; null without authentication.'),
    remoteAddress: orUnfit(pattern.REMOTE_ADDRESS).describe("The caller's IP address."),
    durationMs: z
      .number()
      .nullable()
      .describe('Milliseconds from the start of the attempt to the making of this record.'),
    instanceId: z
      .string()
      .regex(exactly(`${pattern.IDENTIFIER}|\\[unfit\\]`))
      .describe('The process that wrote it.'),
    prevHash: text(pattern.DIGEST).nullable().describe('hash of the record before; null in the first of a chain.'),
    hash: text(pattern.DIGEST).describe('SHA-256 over the RFC 8785 form of this record without this field.'),
  })
  .describe('One line of the audit file.');

/**
 * JSON Schema (draft 2020-12) of one line of the audit file; `config/audit-record.schema.json` is this. What holds between lines (numbers, hashes, checkpoints) is
 * described in docs/AUDIT_FORMAT.md.
 */
export function recordJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(recordSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Audit record of the signing service', ...schema };
}

/** The record that a JSON value is, or null. */
export function asRecord(value: unknown): AuditRecord | null {
  const parsed = recordSchema.safeParse(value);
  return parsed.success ? (value as AuditRecord) : null;
}

function exactly(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}

function text(source: string) {
  return z.string().regex(exactly(source));
}

function orUnfit(source: string) {
  return text(`${source}|\\[unfit\\]`).nullable();
}
