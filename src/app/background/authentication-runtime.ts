import { AuthenticationFiles, type AuthenticationFilesParts } from '../../adapters/auth/authentication-files.ts';
import { type AuthenticationMode, RequestAuthentication } from '../../adapters/http/callers/request-authentication.ts';
import { AuthenticationService } from '../../domain/services/authentication-service.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { ReplayGuard } from '../../ports/replay-guard.ts';
import { WatchedReloads, type WatchOptions } from './watched-reloads.ts';

/** Mutual authentication while the service runs. */
export type AuthenticationRuntime = ReturnType<typeof createAuthenticationRuntime>;

/**
 * Mutual authentication by the authorities and the service's token.
 * @throws OperatorError naming the file, the setting and the remedy
 */
export function createAuthenticationRuntime(
  parts: AuthenticationFilesParts &
    WatchOptions & { readonly mode: AuthenticationMode; readonly guard: ReplayGuard; readonly hasher: Hasher },
) {
  const { mode, guard, hasher, verifier, clock, authoritiesFile, tokenFile } = parts;
  const listFiles = () => [authoritiesFile, tokenFile];
  const reloads = new WatchedReloads(parts, listFiles, () => new AuthenticationFiles(parts));
  const files = reloads.target;
  const service = new AuthenticationService({ authorities: files, identity: files, verifier, guard, hasher, clock });
  return {
    reloads,
    /** For the HTTP API. */
    authentication: new RequestAuthentication({ mode, service, identity: files, clock }),
    guard,
    report: () => ({ mode, ...files.report() }),
  };
}
