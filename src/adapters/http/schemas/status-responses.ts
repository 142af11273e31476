import { z } from 'zod';
import { reloadReport } from './reload-responses.ts';
import { count, extensibleEnum, isoDateTime } from './response-fields.ts';

/** Mutual authentication, in status and readiness. */
export const authenticationReport = z.object({
  mode: z.enum(['optional', 'required']),
  publicKey: z.string().describe("The service's, base58."),
  expirationTime: isoDateTime.describe("Of the service's token."),
  daysLeft: z.int().describe('Of that token; negative once it has expired.'),
  authorities: count.describe('How many are believed.'),
});

const lastReload = z
  .object({
    at: isoDateTime,
    outcome: z.enum(['success', 'failed']),
    message: z.string().exactOptional().describe('What is wrong; only where it failed.'),
  })
  .nullable()
  .describe('null before the first.');

/** The HTTPS certificate. */
export const certificateReport = z.object({
  certificate: z.object({
    notBefore: isoDateTime,
    notAfter: isoDateTime,
    fingerprint256: z.string(),
    daysLeft: z.int().describe('Negative once it has expired.'),
  }),
  loadedAt: isoDateTime,
  lastReload,
});

/** See {@link certificateReport}. */
export type CertificateReport = z.infer<typeof certificateReport>;

/** Trusted client certificates. */
export const clientTrustReport = z.object({
  authorities: count,
  fingerprints: count.nullable().describe('null: every certificate of these authorities.'),
  loadedAt: isoDateTime,
  lastReload,
});

/** See {@link clientTrustReport}. */
export type ClientTrustReport = z.infer<typeof clientTrustReport>;

/** HTTPS in the status. */
export const tlsReport = certificateReport.extend({
  clientCertificates: clientTrustReport.nullable().describe('null where none is asked for.'),
});

/** See {@link tlsReport}. */
export type TlsReport = z.infer<typeof tlsReport>;

const usage = z.object({
  shared: z.boolean().describe('Whether replicas share their counters (`SIGNING_REDIS_URL`).'),
  state: extensibleEnum(['current', 'behind']).describe('`behind` while Redis can not be reached or refuses.'),
  behindSince: isoDateTime.nullable(),
  reason: z.string().nullable().describe('Why it is behind, for people.'),
  replicas: count.describe('Replicas whose counters are in the numbers, this one included.'),
});

const load = z.object({
  inFlight: count.describe('Signatures in the making.'),
  queued: count.describe('Signing requests that wait for their turn.'),
  heldBytes: count.describe('Bytes of request bodies that are held.'),
  refused: count.describe('Requests refused with `OVERLOADED` since the process began.'),
  rateLimited: count.describe(
    'Requests refused for the limit of their caller or the failed proofs of their address since the process began.',
  ),
});

const rateLimits = z.object({
  perCaller: count
    .nullable()
    .describe('Signatures, or other requests, of one caller in a window; null where nothing bounds them.'),
  perAccount: count.nullable().describe('Signatures of one account in a window; null where nothing bounds them.'),
  windowSeconds: count,
  shared: z.boolean().describe('Through Redis.'),
  state: extensibleEnum(['current', 'apart']).describe('`apart` while each replica counts for itself.'),
  apartSince: isoDateTime.nullable(),
  reason: z.string().nullable(),
});

const instance = z.object({
  id: z.string().describe('`SIGNING_INSTANCE_ID`, as in audit records.'),
  version: z.string().describe('Version of the program.'),
});

const checkpoint = z.object({
  instanceId: z.string().describe('The process that wrote the record.'),
  seq: count.describe('Number of the audit record that was signed; the signature covers every record before it.'),
  time: isoDateTime.describe('When the record was made, ISO 8601 UTC.'),
  hash: z.string().describe("Hash of the record's line up to its signature, `sha256:<64 hex>`."),
  sig: z.string().describe('Ed25519 signature of the audit key, base64.'),
});

const disk = z.object({
  freeBytes: count.nullable().describe('Bytes that may still be written; null where that can not be told.'),
  state: extensibleEnum(['ok', 'low', 'critical', 'unknown']).describe(
    '`low` below `lowBytes`, `critical` below `criticalBytes`. When the disk is full, nothing is signed.',
  ),
  lowBytes: count,
  criticalBytes: count,
});

const audit = z.object({
  path: z.string().describe('The audit file.'),
  available: z.boolean().describe('Whether audit records can be written.'),
  head: z.object({
    seq: count.describe('Number of the last durable audit record; 0 before the first.'),
    hash: z.string().nullable().describe('Its hash, `sha256:<64 hex>`; null before the first.'),
  }),
  checkpoint: checkpoint
    .nullable()
    .describe(
      'The last signed record of this process; null before its first. Keep it elsewhere to prove later what was on record.',
    ),
  disk: disk.describe('Room on the disk of the audit file, checked every 10 seconds.'),
});

/** See {@link rateLimits}. */
export type RateLimitsReport = z.infer<typeof rateLimits>;

/** `data` of `GET /status`: the specification's Status report, with facts for operators. */
export const statusResponse = z.object({
  status: extensibleEnum(['healthy', 'degraded']).describe(
    '`degraded` while nothing can be signed: audit records can not be written, or there is no account.',
  ),
  uptime: z.string().describe('`<h>h <m>m <s>s`'),
  instance,
  config: z.object({
    path: z.string().describe('The credentials file.'),
    lastLoaded: isoDateTime.nullable().describe('When its content in force was loaded, ISO 8601 UTC.'),
    isWatching: z.boolean().describe('Whether a change of the file is taken up by itself.'),
    lastReload: reloadReport.nullable().describe('null before the first reading has ended.'),
    reloads: z
      .object({ succeeded: count, failed: count })
      .describe('Readings since the process began; a failed one changed nothing.'),
  }),
  accounts: z.object({
    total: count,
    byPlatform: z.record(z.string(), count).describe('Number of accounts by platformId.'),
  }),
  performance: z.object({
    avgSigningTime: z
      .string()
      .describe(
        'Mean time of a signature from request to durable record, such as `0.42ms`; an item of a batch counts the time of the batch divided by its items.',
      ),
    totalSigns: count.describe('Signatures on the audit record.'),
    errorRate: z.number().min(0).max(1).describe('Share of the attempts that ended without a signature.'),
  }),
  usage,
  audit,
  load,
  rateLimits: rateLimits.nullable().describe('null where nothing is limited.'),
  tls: tlsReport.nullable().describe('null for HTTP.'),
  authentication: authenticationReport.nullable().describe('null unless `SIGNING_AUTH` is on.'),
});

/** See {@link statusResponse}. */
export type StatusResponse = z.infer<typeof statusResponse>;

/** `data` of `GET /healthz`. */
export const livenessResponse = z.object({ status: z.literal('alive') });

/** See {@link livenessResponse}. */
export type LivenessResponse = z.infer<typeof livenessResponse>;

const check = z.object({
  ok: z.boolean(),
  detail: z.string().exactOptional().describe('For operators; not where callers are asked who they are.'),
});

const facts = z.object({
  tls: certificateReport.nullable().exactOptional(),
  config: reloadReport.nullable().exactOptional(),
  authentication: authenticationReport.exactOptional(),
});

/** Facts for operators, present once known. */
export type ReadinessFacts = z.infer<typeof facts>;

/** Fields of `GET /readyz`, ready or not. */
export const readinessFields = {
  checks: z.object({
    keys: check.describe('A configuration was loaded, and it has an account.'),
    audit: check.describe('A record could be written now.'),
    selfTest: check.describe('A signature of each algorithm was made and verified.'),
    draining: check.describe('No stop was announced.'),
    authentication: check
      .exactOptional()
      .describe('Only with `SIGNING_AUTH=required`: it can be told whether a request came before.'),
  }),
  facts: facts.exactOptional().describe('They decide nothing; not where callers are asked who they are.'),
};

const readiness = z.object(readinessFields);

/** See {@link readinessFields}. */
export type ReadinessReport = z.infer<typeof readiness>;

/** `data` of `GET /readyz` when ready. */
export const readinessResponse = z.object({ status: z.literal('ready'), ...readinessFields });

/** See {@link readinessResponse}. */
export type ReadinessResponse = z.infer<typeof readinessResponse>;
