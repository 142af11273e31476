import { z } from 'zod';
import { FORMAT_VERSION, INVALID, MAX_PRINCIPAL_LENGTH, PATTERNS, RECORD_EVENTS } from './audit-record.ts';

/** One line of the audit file: every field in this order, and `sig` only in signed records. */
export const recordSchema = z
  .strictObject({
    v: z.literal(FORMAT_VERSION).describe('Version of this format.'),
    seq: z.int().min(1).describe('Number in the chain: 1, 2, 3 …, without a gap, across files and restarts.'),
    time: z.string().regex(whole(PATTERNS.time)).describe('ISO 8601 UTC with milliseconds.'),
    event: z.enum(RECORD_EVENTS).describe('What the record is about.'),
    outcome: z
      .enum(['success', 'refused', 'failed'])
      .describe('success: done; refused: the request was at fault; failed: the service was.'),
    errorCode: field(PATTERNS.errorCode, 'The code that the caller got; null on success.'),
    platformId: field(PATTERNS.id, 'As requested.'),
    accountId: field(PATTERNS.id, 'As requested.'),
    algorithm: field(PATTERNS.algorithm, 'Of the account; null when there is no such account.'),
    keyId: field(PATTERNS.keyId, 'The key that signed; null where it is not recorded.'),
    policy: field(PATTERNS.policy, 'The policy that decided; null where none did.'),
    payloadDigest: field(
      PATTERNS.digest,
      'SHA-256 of the bytes that were signed, or that a verified signature covers.',
    ),
    signatureDigest: field(PATTERNS.digest, 'SHA-256 of the signature text as returned, or as given to be verified.'),
    data: z
      .record(z.string(), z.json())
      .nullable()
      .describe("event sign: the request's data, masked; other events: facts about the event."),
    correlationId: field(PATTERNS.correlationId, 'Joins the records and log lines of one call.'),
    traceparent: field(PATTERNS.traceparent, "The caller's place in a trace (W3C Trace Context)."),
    batchRequestId: field(PATTERNS.batchRequestId, "The caller's requestId within a batch."),
    principal: z
      .string()
      .max(MAX_PRINCIPAL_LENGTH)
      .nullable()
      .describe('Authenticated caller; null without authentication.'),
    remoteAddress: field(PATTERNS.remoteAddress, "The caller's IP address."),
    durationMs: z
      .number()
      .nullable()
      .describe('Milliseconds from the start of the attempt to the making of this record.'),
    instanceId: z
      .string()
      .regex(whole(orInvalid(PATTERNS.id)))
      .describe('The process that wrote it.'),
    prevHash: z
      .string()
      .regex(whole(PATTERNS.digest))
      .nullable()
      .describe('SHA-256 of the previous line without its newline; null in the first record of a chain.'),
    sig: z
      .string()
      .regex(whole(PATTERNS.sig))
      .optional()
      .describe('Ed25519 signature of the audit key, base64: only in the last record of a group commit.'),
  })
  .describe('One line of the audit file.');

/**
 * JSON Schema (draft 2020-12) of one line of the audit file; `config/audit-record.schema.json` is
 * this. docs/AUDIT_FORMAT.md describes what holds between lines.
 */
export function recordJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(recordSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Audit record of the signing service', ...schema };
}

function field(source: string, description: string) {
  return z
    .string()
    .regex(whole(orInvalid(source)))
    .nullable()
    .describe(description);
}

function orInvalid(source: string): string {
  return `${source}|${INVALID.replace('[', '\\[').replace(']', '\\]')}`;
}

function whole(source: string): RegExp {
  return new RegExp(`^(?:${source})$`);
}
