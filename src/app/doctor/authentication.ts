import { AuthenticationFiles } from '../../adapters/auth/authentication-files.ts';
import { ServiceKey } from '../../adapters/auth/service-key.ts';
import { SodiumSignatureVerifier } from '../../adapters/auth/sodium-signature-verifier.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Settings } from '../settings/settings.ts';
import { listAuthenticationFiles } from './guarded-files.ts';
import { runChecks } from './run-checks.ts';

const CHECK = 'authentication';

/** Remaining validity below which to renew the token, unless the log warns earlier. */
const RENEWAL_DAYS = 30;

const SILENT: ServiceLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  recovered: () => false,
  flush: () => undefined,
};

/**
 * Checks the files of mutual authentication and the validity of the service's token. Reads the key
 * into locked memory and wipes it.
 */
export function checkAuthentication(settings: Settings, now: number = Date.now()): Promise<readonly Finding[]> {
  return runChecks([
    // checkFiles reports missing files.
    ['auth-file', () => listAuthenticationFiles(settings.auth).flatMap((file) => checkFileAccess(file))],
    [CHECK, () => checkFiles(settings, now)],
  ]);
}

function checkFiles(
  { auth: { authoritiesFile, keyFile, tokenFile, mode }, redis, production, expiryWarningDays }: Settings,
  now: number,
): Finding {
  const key = ServiceKey.open(keyFile);
  key.destroy();
  const parts = {
    authoritiesFile,
    tokenFile,
    key,
    verifier: new SodiumSignatureVerifier(),
    production,
    expiryWarningDays,
  };
  const report = new AuthenticationFiles({ ...parts, clock: { now: () => now }, log: SILENT }).report();
  const { publicKey, expirationTime, daysLeft, authorities } = report;
  const nonces = redis === null ? 'separate in each process' : 'shared through Redis';
  const message = `${mode}; public key of the service: ${publicKey}; token valid until ${expirationTime}; authorities: ${authorities}; nonces: ${nonces}`;
  if (daysLeft >= Math.max(RENEWAL_DAYS, expiryWarningDays)) return ok(CHECK, message);
  return warning(CHECK, message, 'Issue another token: `signing-service token issue --service`.');
}
