import { AuthenticationFiles, type AuthenticationFilesParts } from '../../adapters/auth/authentication-files.ts';
import { FileWatch } from '../../adapters/files/file-watch.ts';
import { type AuthenticationMode, RequestAuthentication } from '../../adapters/http/callers/request-authentication.ts';
import type { AuthenticationReport } from '../../adapters/http/schemas/status-responses.ts';
import { AuthenticationService } from '../../domain/services/authentication-service.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { ReplayGuard } from '../../ports/replay-guard.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Dependencies of {@link createAuthenticationRuntime}. */
export interface AuthenticationRuntimeParts extends AuthenticationFilesParts {
  readonly mode: AuthenticationMode;
  readonly guard: ReplayGuard;
  readonly hasher: Hasher;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
}

/** Mutual authentication while the service runs. */
export interface AuthenticationRuntime {
  /** For the HTTP API. */
  readonly authentication: RequestAuthentication;
  readonly guard: ReplayGuard;
  report(): AuthenticationReport;
  /** Reloads the authorities and the service's token. Never throws. */
  reload(): void;
  stop(): void;
}

/**
 * Opens the files of mutual authentication, reloads them when they change (SIGNING_WATCH), and logs
 * daily if the token has to be renewed. Does not keep the process alive.
 * @throws OperatorError naming the file, the setting and the remedy
 */
export function createAuthenticationRuntime(parts: AuthenticationRuntimeParts): AuthenticationRuntime {
  const { mode, guard, hasher, verifier, clock, watch, authoritiesFile, tokenFile } = parts;
  const fileWatch = new FileWatch(() => files.reload());
  // First, so that no change is missed.
  if (watch) fileWatch.watch([authoritiesFile, tokenFile]);
  const files = openFiles(parts, fileWatch);
  files.logState();
  const daily = setInterval(() => files.logState(), DAY_MS).unref();
  const service = new AuthenticationService({ authorities: files, identity: files, verifier, guard, hasher, clock });
  return {
    authentication: new RequestAuthentication({ mode, service, identity: files, clock }),
    guard,
    report: () => ({ mode, ...files.report() }),
    reload: () => files.reload(),
    stop: () => {
      fileWatch.stop();
      clearInterval(daily);
    },
  };
}

/** Stops the watch if the files cannot be opened. */
function openFiles(parts: AuthenticationRuntimeParts, fileWatch: FileWatch): AuthenticationFiles {
  try {
    return new AuthenticationFiles(parts);
  } catch (error) {
    fileWatch.stop();
    throw error;
  }
}
