import { z } from 'zod';
import { count, moment } from './answer-fields.ts';

const lastReload = z
  .object({
    at: moment,
    outcome: z.enum(['success', 'failed']),
    message: z.string().exactOptional().describe('What is wrong; only where it failed.'),
  })
  .nullable()
  .describe('null before the first.');

/** The certificate of HTTPS. */
export const certificateReport = z.object({
  certificate: z.object({
    notBefore: moment,
    notAfter: moment,
    fingerprint256: z.string(),
    daysLeft: z.int().describe('Negative once it has expired.'),
  }),
  loadedAt: moment,
  lastReload,
});

/** See {@link certificateReport}. */
export type CertificateReport = z.infer<typeof certificateReport>;

/** Which client certificates are taken. */
export const clientTrustReport = z.object({
  authorities: count,
  fingerprints: count.nullable().describe('null: every certificate of these authorities.'),
  loadedAt: moment,
  lastReload,
});

/** See {@link clientTrustReport}. */
export type ClientTrustReport = z.infer<typeof clientTrustReport>;

/** HTTPS as the status shows it. */
export const tlsReport = certificateReport.extend({
  clientCertificates: clientTrustReport.nullable().describe('null where none is asked for.'),
});

/** See {@link tlsReport}. */
export type TlsReport = z.infer<typeof tlsReport>;
