import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { listSegments } from '../../adapters/audit/segments/segment-names.ts';
import { readLastRecord } from '../../adapters/audit/segments/segment-reader.ts';
import { readConfiguredFile } from '../../adapters/files/configured-file.ts';
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
function listIssued(chain: readonly X509Certificate[], certFile: string): readonly PastTimestamp[] {
  return chain.map(({ validFrom }) => ({
    what: `a certificate in ${certFile} was issued`,
    time: Date.parse(validFrom),
  }));
}

/** When the newest segment with a record, and that record, were written; empty without one. */
async function listLastWrites(auditFile: string): Promise<readonly PastTimestamp[]> {
  try {
    for (const segment of (await listSegments(auditFile)).toReversed()) {
      const last = await readLastRecord(segment);
      if (last === null) continue;
      return [
        { what: 'the audit file was last written', time: (await stat(segment.path)).mtimeMs },
        { what: 'the last audit record was written', time: Date.parse(last.time) },
      ];
    }
  } catch {
    // Another check reports a folder that cannot be read.
  }
  return [];
}
