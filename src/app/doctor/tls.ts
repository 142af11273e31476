import type { X509Certificate } from 'node:crypto';
import { type ClientTrustFileNames, readClientTrustFiles } from '../../adapters/http/tls/client-trust-files.ts';
import { readTlsFiles } from '../../adapters/http/tls/tls-files.ts';
import { checkClockOrder } from '../../adapters/machine/clock-sync.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import { listPlaintextHosts } from '../settings/configuration-warnings.ts';
import type { Settings } from '../settings/settings.ts';
import { listChain, listIssued, listLastWrites } from './clock-order.ts';
import { failedCheck } from './failed-check.ts';
import { listClientTrustFiles } from './guarded-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Remaining validity below which to renew, unless the log warns earlier. */
const RENEWAL_DAYS = 30;

/**
 * Checks the TLS files, their validity, and whether the clock is behind the dates of certificates
 * and the audit file.
 */
export async function checkTls(settings: Settings, now: number = Date.now()): Promise<readonly Finding[]> {
  const { tls, auditFile, production, expiryWarningDays } = settings;
  const audited = await listLastWrites(auditFile);
  try {
    if (tls === null) {
      const forwarded = describeClients(settings.forwardedCertificates?.clients ?? null, production);
      return [checkPlaintext(settings), ...forwarded, ...checkClockOrder(audited, now)];
    }
    const { cert } = readTlsFiles(tls, now);
    const chain = listChain(cert);
    return [
      checkPeriod(chain, tls.certFile, now, Math.max(RENEWAL_DAYS, expiryWarningDays)),
      ...describeClients(tls.clients, production),
      ...checkClockOrder([...audited, ...listIssued(chain, tls.certFile)], now),
    ];
  } catch (error) {
    const failed = failedCheck('tls', error, 'The service does not start until this is fixed.');
    return [failed, ...checkClockOrder(audited, now)];
  }
}

function checkPlaintext(settings: Settings): Finding {
  const hosts = listPlaintextHosts(settings);
  if (hosts.length === 0) return ok('tls', 'not set: HTTP, on this machine only');
  const shown = hosts.join(' and ');
  return warning(
    'tls',
    settings.production
      ? `NOT ENCRYPTED: HTTP on ${shown} in production; anyone on the network can read and change requests`
      : `not set: HTTP without encryption on ${shown}`,
    'Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless a proxy in front of the service encrypts.',
  );
}

/** Describes the accepted client certificates. */
function describeClients(files: ClientTrustFileNames | null, production: boolean): readonly Finding[] {
  if (files === null) return [];
  const { authorities, fingerprints } = readClientTrustFiles(files, production);
  const listed = fingerprints === null ? 'all issued by them' : `${fingerprints.size} listed`;
  const access = listClientTrustFiles(files).flatMap((file) => checkFileAccess(file));
  return [...access, ok('client-certificates', `authorities: ${authorities.length}; accepted: ${listed}`)];
}

/** Clients reject a chain if any of its certificates is not valid. */
function checkPeriod(chain: readonly X509Certificate[], file: string, now: number, renewalDays: number): Finding {
  const from = Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)));
  const to = Math.min(...chain.map(({ validTo }) => Date.parse(validTo)));
  const until = `valid until ${new Date(to).toISOString().slice(0, 10)}`;
  const renew = `Renew the certificate in ${file}.`;
  if (now > to) return fail('tls', `the certificate expired: ${until}`, renew);
  if (now < from) {
    return fail(
      'tls',
      `the certificate is not valid before ${new Date(from).toISOString()}`,
      'Set the clock, or use another certificate.',
    );
  }
  if (to - now < renewalDays * DAY_MS)
    return warning('tls', `${until}, ${Math.floor((to - now) / DAY_MS)} days from now`, renew);
  return ok('tls', until);
}
