import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { listSegments } from '../../adapters/audit/segments/segment-names.ts';
import { readLastRecord } from '../../adapters/audit/segments/segment-reader.ts';
import { readConfiguredFile } from '../../adapters/files/configured-file.ts';
import { checkClockOrder, type PastTimestamp } from '../../adapters/machine/clock.ts';
import type { Outcome } from '../../adapters/machine/outcome.ts';
import type { Settings } from '../settings/settings.ts';
import type { Configured, Row } from './rows.ts';

/** The clock beside known times. */
export const CLOCK_ROWS: readonly Row<Configured>[] = [
  { check: 'clock-order', run: ({ settings, now }) => checkClockAtStart(settings, now) },
];

/**
 * Whether the clock is behind the last audit record, which the last start or reload may have
 * written, or the issue of a certificate. Reads no key. Ignores files that cannot be read: other
 * checks report them.
 * @param now Unix milliseconds
 */
export async function checkClockAtStart(
  { auditFile, tls }: Pick<Settings, 'auditFile' | 'tls'>,
  now: number,
): Promise<readonly Outcome[]> {
  const written = await listLastWrites(auditFile).catch(() => []);
  return checkClockOrder([...written, ...(tls === null ? [] : listIssued(tls.certFile))], now);
}

function listIssued(certFile: string): readonly PastTimestamp[] {
  try {
    return listChain(readConfiguredFile('SIGNING_TLS_CERT_FILE', certFile)).map(({ validFrom }) => ({
      what: `a certificate in ${certFile} was issued`,
      time: Date.parse(validFrom),
    }));
  } catch {
    return [];
  }
}

/** The certificates of a PEM file. */
export function listChain(pem: Buffer): readonly X509Certificate[] {
  const certificates = pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return (certificates ?? []).map((certificate) => new X509Certificate(certificate));
}

/** When the newest segment with a record, and that record, were written; empty without one. */
async function listLastWrites(auditFile: string): Promise<readonly PastTimestamp[]> {
  for (const segment of (await listSegments(auditFile)).toReversed()) {
    const last = await readLastRecord(segment);
    if (last === null) continue;
    return [
      { what: 'the audit file was last written', time: (await stat(segment.path)).mtimeMs },
      { what: 'the last audit record was written', time: Date.parse(last.time) },
    ];
  }
  return [];
}
