import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { type ClientTrustFileNames, readClientTrustFiles } from '../../adapters/driving/http/tls/client-trust-files.ts';
import { readTlsFiles } from '../../adapters/driving/http/tls/tls-files.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { checkClockOrder, type PastMoment } from '../../machine/clock-order.ts';
import { checkFileAccess } from '../../machine/file-access.ts';
import { type Finding, fail, ok, warning } from '../../machine/finding.ts';
import { plainHosts } from '../exposure.ts';
import type { Settings } from '../settings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Less than this is time to renew. Milliseconds. */
const SOON_MS = 30 * DAY_MS;

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** The files of HTTPS and how long they are good, and whether the clock stands before what they and the audit file are dated. */
export function checkTls(settings: Settings, now: number = Date.now()): readonly Finding[] {
  const { tls, auditFile, production } = settings;
  const audited = lastWriteOf(auditFile);
  if (tls === null) return [checkPlain(settings), ...checkClockOrder(audited, now)];
  try {
    const { cert } = readTlsFiles(tls, now);
    const chain = (cert.toString('latin1').match(CERTIFICATES) ?? []).map((pem) => new X509Certificate(pem));
    const issued = chain.map(({ validFrom }) => ({
      what: `a certificate in ${tls.certFile} was issued`,
      time: Date.parse(validFrom),
    }));
    return [
      checkPeriod(chain, tls.certFile, now),
      ...checkClients(tls.clients, production),
      ...checkClockOrder([...audited, ...issued], now),
    ];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [
      fail('tls', error.message, 'The service does not start before this is right.'),
      ...checkClockOrder(audited, now),
    ];
  }
}

function lastWriteOf(auditFile: string): readonly PastMoment[] {
  try {
    return [{ what: 'the audit file was last written', time: statSync(auditFile).mtimeMs }];
  } catch {
    // Whether it is there, and can be reached, is another check.
    return [];
  }
}

function checkPlain(settings: Settings): Finding {
  const hosts = plainHosts(settings);
  if (hosts.length === 0) return ok('tls', 'not set: HTTP, on this machine alone');
  const shown = hosts.join(' and ');
  return warning(
    'tls',
    settings.production
      ? `NOT ENCRYPTED: HTTP on ${shown} in production; whoever is on the network can read and change what is signed`
      : `not set: HTTP without encryption on ${shown}`,
    'Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless what stands in front of the service encrypts.',
  );
}

/** Whose client certificates are taken. */
function checkClients(files: ClientTrustFileNames | null, production: boolean): readonly Finding[] {
  if (files === null) return [];
  const { authorities, fingerprints } = readClientTrustFiles(files, production);
  const listed = fingerprints === null ? 'all that they issued' : `the ${fingerprints.size} that are listed`;
  const access = [files.caFile, files.fingerprintsFile].flatMap((file) =>
    file === null
      ? []
      : checkFileAccess({ check: 'client-trust-file', file, whenShared: 'warning', isPublic: true, whenMissing: null }),
  );
  return [...access, ok('client-certificates', `authorities: ${authorities.length}; taken: ${listed}`)];
}

/** Clients refuse a chain once any certificate in it is out of its period. */
function checkPeriod(chain: readonly X509Certificate[], file: string, now: number): Finding {
  const from = Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)));
  const to = Math.min(...chain.map(({ validTo }) => Date.parse(validTo)));
  const until = `valid until ${new Date(to).toISOString().slice(0, 10)}`;
  const renew = `Renew the certificate in ${file}.`;
  if (now > to) return fail('tls', `the certificate expired: ${until}`, renew);
  if (now < from) {
    return fail(
      'tls',
      `the certificate is not valid before ${new Date(from).toISOString()}`,
      'Set the clock, or another certificate.',
    );
  }
  if (to - now < SOON_MS) return warning('tls', `${until}, ${Math.floor((to - now) / DAY_MS)} days from now`, renew);
  return ok('tls', until);
}
