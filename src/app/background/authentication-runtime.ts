import { AuthenticationFiles } from '../../adapters/auth/authentication-files.ts';
import { type AuthenticationMode, RequestAuthentication } from '../../adapters/http/callers/request-authentication.ts';
import { AuthenticationService } from '../../domain/services/authentication-service.ts';
import type { AdapterSet } from '../adapters.ts';
import type { Settings } from '../settings/settings.ts';
import { WatchedReloads } from './watched-reloads.ts';

/**
 * Mutual authentication by the authorities and the service's token, while the service runs.
 * @throws OperatorError naming the file, the setting and the remedy
 */
export async function openAuthentication(settings: Settings, mode: AuthenticationMode, adapters: AdapterSet) {
  const { authoritiesFile, tokenFile } = settings.auth;
  const { authKey: key, ...ports } = await adapters.all('authKey', 'verifier', 'guard', 'hasher', 'clock', 'log');
  const { guard, clock } = ports;
  const parts = { ...settings, ...ports, key, authoritiesFile, tokenFile };
  const reloads = new WatchedReloads(
    parts,
    () => [authoritiesFile, tokenFile],
    () => new AuthenticationFiles(parts),
  );
  const files = reloads.target;
  const service = new AuthenticationService({ ...ports, authorities: files, identity: files });
  return {
    reloads,
    /** For the HTTP API. */
    authentication: new RequestAuthentication({ mode, service, identity: files, clock }),
    guard,
    report: () => ({ mode, ...files.report() }),
  };
}
