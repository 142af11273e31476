import type { X509Certificate } from 'node:crypto';
import { ServiceKey } from '../../adapters/auth/service-key.ts';
import { SodiumSignatureVerifier } from '../../adapters/auth/sodium-signature-verifier.ts';
import type { NetworkList } from '../../adapters/http/callers/network-list.ts';
import { readClientTrustFiles } from '../../adapters/http/tls/client-trust-files.ts';
import { readTlsFiles } from '../../adapters/http/tls/tls-files.ts';
import { fail, type Outcome, warning } from '../../adapters/machine/outcome.ts';
import { SILENT_LOG } from '../../adapters/observability/silent-service-log.ts';
import { callerWarnings, listPlaintextHosts } from '../settings/configuration-warnings.ts';
import type { Settings } from '../settings/settings.ts';
import { listChain } from './clock-order.ts';
import type { Configured, Row } from './rows.ts';

/** Who reaches the service, and how they authenticate. */
export const NETWORK_ROWS: readonly Row<Configured>[] = [
  { check: 'callers', run: ({ settings }) => checkCallers(settings) },
  { check: 'tls', run: ({ settings, now }) => checkTls(settings, now) },
  { check: 'client-certificates', run: ({ settings }) => describeClients(settings) },
  {
    check: 'authentication',
    run: ({ settings, now }) => (settings.auth.mode === 'off' ? [] : checkAuthentication(settings, now)),
  },
];

const DAY_MS = 24 * 60 * 60 * 1000;
/** Remaining validity below which to renew, unless the log warns earlier. */
const RENEWAL_DAYS = 30;

/**
 * Whether callers from outside the internal network are accepted, or may choose their address.
 */
function checkCallers(settings: Settings): Outcome | readonly Outcome[] {
  const { allowedNetworks, trustedProxies } = settings;
  const warnings = callerWarnings(settings);
  if (warnings.length > 0) return warnings.map(({ message, remedy }) => warning(message, remedy));
  const proxies = trustedProxies === null ? '' : `, or through the proxies ${formatNetworks(trustedProxies)}`;
  return `from ${formatNetworks(allowedNetworks)}${proxies}, ${formatAuthentication(settings)}`;
}

function formatNetworks({ networks }: NetworkList): string {
  return networks.length > 4 ? `${networks.length} networks` : networks.join(', ');
}

function formatAuthentication({ tls, forwardedCertificates, auth: { mode } }: Settings): string {
  const forwarded = forwardedCertificates === null ? '' : `, which proxies forward in ${forwardedCertificates.header}`;
  const methods = [
    ...(tls?.clients != null || forwarded !== '' ? [`a client certificate${forwarded}`] : []),
    ...(mode === 'off' ? [] : [`an access token (${mode})`]),
  ];
  return methods.length === 0 ? 'unauthenticated' : `authenticated by ${methods.join(' and ')}`;
}

/**
 * The TLS files and their validity.
 * @throws OperatorError if they cannot be used
 */
function checkTls(settings: Settings, now: number): Outcome {
  const { tls, production, expiryWarningDays } = settings;
  if (tls !== null) return checkPeriod(listChain(readTlsFiles(tls).cert), tls.certFile, now, expiryWarningDays);
  const hosts = listPlaintextHosts(settings).join(' and ');
  if (hosts === '') return 'not set: HTTP, on this machine only';
  return warning(
    production
      ? `NOT ENCRYPTED: HTTP on ${hosts} in production; anyone on the network can read and change requests`
      : `not set: HTTP without encryption on ${hosts}`,
    'Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless a proxy in front of the service encrypts.',
  );
}

/** Clients reject a chain if any of its certificates is not valid. */
function checkPeriod(chain: readonly X509Certificate[], file: string, now: number, warningDays: number): Outcome {
  const from = Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)));
  const to = Math.min(...chain.map(({ validTo }) => Date.parse(validTo)));
  const until = `valid until ${new Date(to).toISOString().slice(0, 10)}`;
  const renew = `Renew the certificate in ${file}.`;
  if (now > to) return fail(`the certificate expired: ${until}`, renew);
  if (now < from) {
    const message = `the certificate is not valid before ${new Date(from).toISOString()}`;
    return fail(message, 'Set the clock, or use another certificate.');
  }
  const days = (to - now) / DAY_MS;
  if (days >= Math.max(RENEWAL_DAYS, warningDays)) return until;
  return warning(`${until}, ${Math.floor(days)} days from now`, renew);
}

/** @throws OperatorError if the files that name trusted client certificates cannot be used */
function describeClients({ tls, forwardedCertificates, production }: Settings): Outcome | readonly Outcome[] {
  const files = tls?.clients ?? forwardedCertificates?.clients;
  if (files == null) return [];
  const { authorities, fingerprints } = readClientTrustFiles(files, production);
  const listed = fingerprints === null ? 'all issued by them' : `${fingerprints.size} listed`;
  return `authorities: ${authorities.length}; accepted: ${listed}`;
}

/**
 * The files of mutual authentication and the validity of the service's token. Reads the key into
 * locked memory and wipes it.
 */
async function checkAuthentication(
  { auth, redis, production, expiryWarningDays }: Settings,
  now: number,
): Promise<Outcome> {
  const { AuthenticationFiles } = await import('../../adapters/auth/authentication-files.ts');
  const { authoritiesFile, keyFile, tokenFile, mode } = auth;
  const key = ServiceKey.open(keyFile);
  key.destroy();
  const files = new AuthenticationFiles({
    ...{ authoritiesFile, tokenFile, key, production, expiryWarningDays },
    verifier: new SodiumSignatureVerifier(),
    clock: { now: () => now },
    log: SILENT_LOG,
  });
  const { publicKey, expirationTime, daysLeft, authorities } = files.report();
  const nonces = redis === null ? 'separate in each process' : 'shared through Redis';
  const message = `${mode}; public key of the service: ${publicKey}; token valid until ${expirationTime}; authorities: ${authorities}; nonces: ${nonces}`;
  if (daysLeft >= Math.max(RENEWAL_DAYS, expiryWarningDays)) return message;
  return warning(
    message,
    'Issue another token, with the key of its authority: `signing-service token issue --service --expires-in 365d --authority-key-file authority.key`.',
  );
}
