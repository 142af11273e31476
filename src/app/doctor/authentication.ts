import { AuthenticationFiles } from '../../adapters/auth/authentication-files.ts';
import { ServiceKey } from '../../adapters/auth/service-key.ts';
import { SodiumSignatureVerifier } from '../../adapters/auth/sodium-signature-verifier.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Settings } from '../settings/settings.ts';
import { failedCheck } from './failed-check.ts';
import { listAuthenticationFiles } from './guarded-files.ts';

const CHECK = 'authentication';

/** Remaining validity below which to renew the token, unless the log warns earlier. */
const RENEWAL_DAYS = 30;

const SILENT: ServiceLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Checks the files of mutual authentication and the validity of the service's token. Reads the key
 * into locked memory and wipes it.
 */
export function checkAuthentication(
  { auth, redis, production, expiryWarningDays }: Settings,
  now: number = Date.now(),
): readonly Finding[] {
  // checkFiles reports missing files.
  const access = listAuthenticationFiles(auth).flatMap((file) => checkFileAccess(file));
  return [...access, checkFiles(auth, { now, isShared: redis !== null, production, expiryWarningDays })];
}

function checkFiles(
  { authoritiesFile, keyFile, tokenFile, mode }: Settings['auth'],
  {
    now,
    isShared,
    production,
    expiryWarningDays,
  }: {
    readonly now: number;
    readonly isShared: boolean;
    readonly production: boolean;
    readonly expiryWarningDays: number;
  },
): Finding {
  try {
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
    const nonces = isShared ? 'shared through Redis' : 'separate in each process';
    const message = `${mode}; public key of the service: ${publicKey}; token valid until ${expirationTime}; authorities: ${authorities}; nonces: ${nonces}`;
    if (daysLeft >= Math.max(RENEWAL_DAYS, expiryWarningDays)) return ok(CHECK, message);
    return warning(CHECK, message, 'Issue another token: `signing-service token issue --service`.');
  } catch (error) {
    return failedCheck(CHECK, error, 'The service does not start until this is fixed.');
  }
}
