import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readRecord } from '../../adapters/audit/record/read-record.ts';
import { listChainSegments, type Segment } from '../../adapters/audit/segments/segment-names.ts';
import { withSegment } from '../../adapters/audit/segments/segment-reader.ts';
import { readConfiguredFile } from '../../adapters/http/tls/tls-files.ts';
import { checkClockOrder, type PastTimestamp } from '../../adapters/machine/clock-sync.ts';
import type { Finding } from '../../adapters/machine/finding.ts';
import type { Settings } from '../settings/settings.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Whether the clock is behind the last audit record, which the last start or reload may have
 * written, or the issue of a certificate. Reads no key. Ignores files that cannot be read.
 * @param now Unix milliseconds
 */
export async function checkClockAtStart(
  { auditFile, tls }: Pick<Settings, 'auditFile' | 'tls'>,
  now: number = Date.now(),
): Promise<readonly Finding[]> {
  return checkClockOrder([...(await listLastWrites(auditFile)), ...listConfigured(tls)], now);
}

/** Another check reports files that cannot be read. */
function listConfigured(tls: Settings['tls']): readonly PastTimestamp[] {
  if (tls === null) return [];
  try {
    return listIssued(listChain(readConfiguredFile('SIGNING_TLS_CERT_FILE', tls.certFile)), tls.certFile);
  } catch {
    return [];
  }
}

/** The certificates of a PEM file. */
export function listChain(pem: Buffer): readonly X509Certificate[] {
  return (pem.toString('latin1').match(CERTIFICATES) ?? []).map((certificate) => new X509Certificate(certificate));
}

/** When certificates were issued: before now. */
export function listIssued(chain: readonly X509Certificate[], certFile: string): readonly PastTimestamp[] {
  return chain.map(({ validFrom }) => ({
    what: `a certificate in ${certFile} was issued`,
    time: Date.parse(validFrom),
  }));
}

/** When the newest segment and its last record were written; empty without a segment. */
export async function listLastWrites(auditFile: string): Promise<readonly PastTimestamp[]> {
  try {
    const newest = (await listChainSegments(auditFile)).at(-1);
    if (newest === undefined) return [];
    const { mtimeMs } = await stat(newest.path);
    const written = { what: 'the audit file was last written', time: mtimeMs };
    const time = await readLastRecordTime(newest);
    return time === null ? [written] : [written, { what: 'the last audit record was written', time }];
  } catch {
    // Another check reports an unsuitable file.
    return [];
  }
}

/** Unix milliseconds; null without a complete record. */
function readLastRecordTime(segment: Segment): Promise<number | null> {
  return withSegment(segment, async (reader) => {
    const record = readRecord((await reader.lastLine(await reader.size()))?.line ?? null);
    return 'issue' in record ? null : Date.parse(record.time);
  });
}
