import { z } from 'zod';
import { AUDIT_EVENTS, AUDIT_OUTCOMES } from '../../../domain/model/audit-entry.ts';
import type { Immutable } from '../../../domain/model/json.ts';
import { count } from '../../../domain/model/refusal.ts';
import { CERTIFICATE_HEADERS } from '../tls/forwarded-certificate.ts';
import { reloadReport, reloadResponse } from './reload-responses.ts';
import { extensibleEnum, isoDateTime } from './response-fields.ts';

/** Mutual authentication, in status and readiness. */
const authenticationReport = z.object({
  mode: z.enum(['optional', 'required']),
  publicKey: z.string().describe('Public key of the service, base58.'),
  expirationTime: isoDateTime.describe('Expiry of the access token of the service, ISO 8601 UTC.'),
  daysLeft: z.int().describe('Days until that token expires; negative once it has expired.'),
  authorities: count.describe('Number of trusted authorities.'),
});

/** See {@link authenticationReport}. */
export type AuthenticationReport = z.infer<typeof authenticationReport>;

const lastReload = z
  .object({
    at: isoDateTime,
    outcome: z.enum(['success', 'failed']),
    message: z.string().exactOptional().describe('What went wrong; only after a failure.'),
  })
  .nullable()
  .describe('null before the first reload.');

/** The HTTPS certificate. */
const certificateReport = z.object({
  certificate: z.object({
    notBefore: isoDateTime,
    notAfter: isoDateTime,
    fingerprint256: z.string(),
    daysLeft: z.int().describe('Days until the certificate expires; negative once it has expired.'),
  }),
  loadedAt: isoDateTime,
  lastReload,
});

/** See {@link certificateReport}. */
export type CertificateReport = z.infer<typeof certificateReport>;

/** Trusted client certificates. */
const clientTrustReport = z.object({
  authorities: count,
  fingerprints: count
    .nullable()
    .describe('Number of allowed certificates; null if every certificate of these authorities is allowed.'),
  loadedAt: isoDateTime,
  lastReload,
});

/** See {@link clientTrustReport}. */
export type ClientTrustReport = z.infer<typeof clientTrustReport>;

/** Client certificates that trusted proxies forward. */
const forwardedCertificatesReport = clientTrustReport.extend({
  header: z.enum(CERTIFICATE_HEADERS).describe('Accepted from `SIGNING_TRUSTED_PROXIES` only.'),
});

/** See {@link forwardedCertificatesReport}. */
export type ForwardedCertificatesReport = z.infer<typeof forwardedCertificatesReport>;

/** HTTPS in the status. */
const tlsReport = certificateReport.extend({
  clientCertificates: clientTrustReport.nullable().describe('null if client certificates are off.'),
});

const usage = z.object({
  shared: z.boolean().describe('Whether replicas share their usage counters (`SIGNING_REDIS_URL`).'),
  state: extensibleEnum(['current', 'behind']).describe('`behind` while Redis cannot be reached or rejects commands.'),
  behindSince: isoDateTime.nullable(),
  reason: z.string().nullable().describe('Why the counters are behind; human-readable.'),
  replicas: count.describe('Number of replicas whose counters are included, this one among them.'),
});

const load = z.object({
  inFlight: count.describe('Signatures in progress.'),
  queued: count.describe('Waiting signing requests.'),
  heldBytes: count.describe('Memory reserved for request bodies, bytes.'),
  refused: count.describe('Requests rejected with `OVERLOADED` since the process started.'),
  rateLimited: count.describe(
    'Requests rejected by the caller rate limit or the limit on failed authentication since the process started.',
  ),
});

const rateLimits = z.object({
  perCaller: count.nullable().describe('Signatures and other requests of one caller per window; null if unlimited.'),
  perAccount: count.nullable().describe('Signatures of one account per window; null if unlimited.'),
  windowSeconds: count,
  shared: z.boolean().describe('Whether replicas share the limits through Redis.'),
  state: extensibleEnum(['current', 'apart']).describe('`apart` while each replica counts separately.'),
  apartSince: isoDateTime.nullable(),
  reason: z.string().nullable(),
});

const instance = z.object({
  id: z.string().describe('`SIGNING_INSTANCE_ID`, as in audit records.'),
  version: z.string().describe('Version of the program.'),
});

const checkpoint = z.object({
  instanceId: z.string().describe('ID of the instance that wrote the record.'),
  seq: count.describe('Number of the signed audit record. The signature covers every record up to it.'),
  time: isoDateTime.describe('Time of the record, ISO 8601 UTC.'),
  hash: z.string().describe("Hash of the record's line up to its signature, `sha256:<64 hex>`."),
  sig: z.string().describe('Ed25519 signature by the audit key, base64.'),
});

const disk = z.object({
  freeBytes: count.nullable().describe('Bytes that can still be written; null if unknown.'),
  state: extensibleEnum(['ok', 'low', 'critical', 'unknown']).describe(
    '`low` below `lowBytes`, `critical` below `criticalBytes`. When the disk is full, nothing is signed.',
  ),
  lowBytes: count,
  criticalBytes: count,
});

const checkpointCopy = z.object({
  setting: z.string().describe('Setting that selects the place.'),
  place: z.string().describe('Path of the file, or host of the endpoint.'),
  seq: count.nullable().describe('Last audit record that a saved checkpoint covers; null before the first.'),
  failures: count.describe('Attempts that failed since then.'),
});

const audit = z.object({
  path: z.string().describe('Path of the audit file.'),
  available: z.boolean().describe('Whether audit records can be written.'),
  head: z.object({
    seq: count.describe('Number of the last durable audit record; 0 before the first.'),
    hash: z.string().nullable().describe('Hash of that record, `sha256:<64 hex>`; null before the first.'),
  }),
  checkpoint: checkpoint
    .nullable()
    .describe(
      'Last signed checkpoint of this process; null before the first. Store it elsewhere to prove later which records existed.',
    ),
  disk: disk.describe('Free space on the disk of the audit file, checked every 10 seconds.'),
  checkpointCopies: z
    .array(checkpointCopy)
    .describe('Second places of checkpoints (`SIGNING_AUDIT_CHECKPOINT_FILE`, `SIGNING_AUDIT_CHECKPOINT_URL`).'),
});

const refused = {
  count,
  lastCode: z.string().nullable().describe('Error code of the last one.'),
  lastAt: isoDateTime,
};

const activity = z.object({
  intervalSeconds: count.describe('Width of a sample in seconds.'),
  signatures: z
    .array(count)
    .max(60)
    .describe('Signatures in each of the last complete intervals, oldest first; fewer after a start.'),
  refusals: z.array(count).max(60).describe('Attempts to sign without a signature, in the same intervals.'),
  refusedBy: z
    .object({
      accounts: z.array(z.object({ platformId: z.string(), accountId: z.string(), ...refused })),
      callers: z.array(
        z.object({ principal: z.string().nullable().describe('null for callers without authentication.'), ...refused }),
      ),
      policies: z.array(z.object({ policy: z.string().describe('Name of the policy, or `budget:NAME`.'), ...refused })),
      others: z
        .object({ accounts: count, callers: count, policies: count })
        .describe('Refusals of accounts, callers and policies that are not among the 200 counted one by one.'),
    })
    .describe('Refused and failed requests since the process started, most frequent first, at most 20 each.'),
  records: z
    .array(
      z.object({
        time: isoDateTime,
        event: extensibleEnum(AUDIT_EVENTS),
        outcome: extensibleEnum(AUDIT_OUTCOMES),
        errorCode: z.string().nullable(),
        platformId: z.string().nullable(),
        accountId: z.string().nullable(),
        principal: z.string().nullable().describe('Name of the caller.'),
        policy: z.string().nullable().describe('As in the audit record.'),
        correlationId: z.string().nullable(),
      }),
    )
    .max(20)
    .describe('The last durable audit records, newest first; fields that a record lacks are null.'),
  lastLoad: reloadResponse
    .nullable()
    .describe('The last successful load of the configuration, as in the response of a reload; null before the first.'),
});

/** See {@link activity}. */
export type ActivityResponse = Immutable<z.infer<typeof activity>>;

/** `data` of `GET /status`: the specification's Status report, with facts for operators. */
export const statusResponse = z.object({
  status: extensibleEnum(['healthy', 'degraded']).describe(
    '`degraded` while nothing can be signed: audit records cannot be written, or the configuration has no account.',
  ),
  uptime: z.string().describe('`<h>h <m>m <s>s`'),
  instance,
  config: z.object({
    path: z.string().describe('Path of the credentials file.'),
    lastLoaded: isoDateTime.nullable().describe('When the current configuration was loaded, ISO 8601 UTC.'),
    isWatching: z.boolean().describe('Whether changes to the file are picked up automatically.'),
    lastReload: reloadReport.nullable().describe('null before the first load has completed.'),
    reloads: z
      .object({ succeeded: count, failed: count })
      .describe('Loads since the process started; a failed load changes nothing.'),
  }),
  accounts: z.object({
    total: count,
    byPlatform: z.record(z.string(), count).describe('Number of accounts by `platformId`.'),
  }),
  performance: z.object({
    avgSigningTime: z
      .string()
      .describe(
        'Mean time from signing request to durable audit record, such as `0.42ms`; for a batch item, the time of the batch divided by its number of items.',
      ),
    totalSigns: count.describe('Number of signatures in the audit log.'),
    errorRate: z.number().min(0).max(1).describe('Share of attempts that ended without a signature.'),
  }),
  usage,
  audit,
  load,
  rateLimits: rateLimits.nullable().describe('null without rate limits.'),
  tls: tlsReport.nullable().describe('null without HTTPS.'),
  forwardedCertificates: forwardedCertificatesReport
    .nullable()
    .describe('null unless proxies may forward client certificates (`SIGNING_TLS_CLIENT_CERT_HEADER`).'),
  authentication: authenticationReport.nullable().describe('null with `SIGNING_AUTH=off`.'),
  expiryWarningDays: count.describe(
    'Days before the expiry of certificate or access token from which the service warns (`SIGNING_EXPIRY_WARNING_DAYS`).',
  ),
  activity: activity.exactOptional().describe('Only with `?include=activity`: recent activity of this process.'),
});

/** See {@link statusResponse}. */
export type StatusResponse = Immutable<z.infer<typeof statusResponse>>;

/** `data` of `GET /healthz`. */
export const livenessResponse = z.object({ status: z.literal('alive') });

/** See {@link livenessResponse}. */
export type LivenessResponse = z.infer<typeof livenessResponse>;

const check = z.object({
  ok: z.boolean(),
  detail: z.string().exactOptional().describe('For operators; omitted from brief responses.'),
});

const facts = z.object({
  tls: certificateReport.nullable().exactOptional(),
  config: reloadReport.nullable().exactOptional(),
  authentication: authenticationReport.exactOptional(),
  audit: z
    .object({ disk: disk.describe('Free space on the disk of the audit file, checked every 10 seconds.') })
    .exactOptional(),
});

/** Facts for operators, present once known. */
export type ReadinessFacts = Immutable<z.infer<typeof facts>>;

/** Fields of `GET /readyz`, ready or not. */
export const readinessFields = {
  checks: z.object({
    keys: check.describe('A configuration with at least one account is loaded.'),
    audit: check.describe('Audit records can be written.'),
    selfTest: check.describe('A signature of each algorithm was created and verified.'),
    draining: check.describe('The service is not shutting down.'),
    authentication: check
      .exactOptional()
      .describe('Only with `SIGNING_AUTH=required`: replay protection is available.'),
  }),
  facts: facts.exactOptional().describe('Informational, without effect on readiness; omitted from brief responses.'),
};

const readiness = z.object(readinessFields);

/** See {@link readinessFields}. */
export type ReadinessReport = Immutable<z.infer<typeof readiness>>;

/** `data` of `GET /readyz` when ready. */
export const readinessResponse = z.object({ status: z.literal('ready'), ...readinessFields });

/** See {@link readinessResponse}. */
export type ReadinessResponse = Immutable<z.infer<typeof readinessResponse>>;
