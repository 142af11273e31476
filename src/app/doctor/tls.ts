import type { X509Certificate } from 'node:crypto';
import { type ClientTrustFileNames, readClientTrustFiles } from '../../adapters/http/tls/client-trust-files.ts';
import { readTlsFiles } from '../../adapters/http/tls/tls-files.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import { listPlaintextHosts } from '../settings/configuration-warnings.ts';
import type { Settings } from '../settings/settings.ts';
import { listChain } from './clock-order.ts';
import { listClientTrustFiles } from './guarded-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Remaining validity below which to renew, unless the log warns earlier. */
const RENEWAL_DAYS = 30;

/**
 * Checks the TLS files and their validity.
 * @throws OperatorError if they cannot be used
 */
export function checkTls(settings: Settings, now: number = Date.now()): readonly Finding[] {
  const { tls, production, expiryWarningDays } = settings;
  if (tls === null) {
    return [checkPlaintext(settings), ...describeClients(settings.forwardedCertificates?.clients ?? null, production)];
  }
  const { cert } = readTlsFiles(tls);
  return [
    checkPeriod(listChain(cert), tls.certFile, now, Math.max(RENEWAL_DAYS, expiryWarningDays)),
    ...describeClients(tls.clients, production),
  ];
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
