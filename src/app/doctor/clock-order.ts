import { X509Certificate } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { readRecord } from '../../adapters/audit/record/read-record.ts';
import { openRegularFileSync } from '../../adapters/files/open-regular-file.ts';
import { readConfiguredFile } from '../../adapters/http/tls/tls-files.ts';
import { checkClockOrder, type PastTimestamp } from '../../adapters/machine/clock-sync.ts';
import type { Finding } from '../../adapters/machine/finding.ts';
import type { Settings } from '../settings/settings.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Bytes read from the end: more than a record. */
const TAIL_BYTES = 64 * 1024;

/**
 * Whether the clock is behind the last audit record, which the last start or reload may have
 * written, or the issue of a certificate. Reads no key. Ignores files that cannot be read.
 * @param now Unix milliseconds
 */
export function checkClockAtStart(
  { auditFile, tls }: Pick<Settings, 'auditFile' | 'tls'>,
  now: number = Date.now(),
): readonly Finding[] {
  const issued =
    tls === null
      ? []
      : tryOr([], () => listIssued(listChain(readConfiguredFile('SIGNING_TLS_CERT_FILE', tls.certFile)), tls.certFile));
  return checkClockOrder([...listLastWrites(auditFile), ...issued], now);
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

/** When the audit file and its last record were written; empty for a missing file. */
export function listLastWrites(auditFile: string): readonly PastTimestamp[] {
  // Another check reports a missing or unsuitable file.
  return tryOr([], () => {
    const { descriptor, stats } = openRegularFileSync(auditFile);
    try {
      const written = { what: 'the audit file was last written', time: stats.mtimeMs };
      const recordTime = tryOr(null, () => readLastRecordTime(descriptor, stats.size));
      if (recordTime === null) return [written];
      return [written, { what: 'the last audit record was written', time: recordTime }];
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Unix milliseconds; null without a complete record. */
function readLastRecordTime(descriptor: number, size: number): number | null {
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  const lines = bytes.toString('utf8', 0, length).split('\n');
  // After the last newline there is no complete record.
  const record = readRecord(lines.at(-2) ?? '');
  return 'issue' in record ? null : Date.parse(record.time);
}

function tryOr<Value>(fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return fallback;
  }
}
