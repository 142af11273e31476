import {
  AuthenticationFiles,
  type AuthenticationFilesParts,
} from '../adapters/driven/access-tokens/authentication-files.ts';
import {
  type AuthenticationMode,
  RequestAuthentication,
} from '../adapters/driving/http/authentication/request-authentication.ts';
import { showFact } from '../adapters/driving/http/readiness-view.ts';
import { parseExpirationTime } from '../domain/model/access-token.ts';
import type { AuthenticationState } from '../domain/model/service-state.ts';
import { AuthenticationService } from '../domain/services/authentication-service.ts';
import type { ReadinessService } from '../domain/services/readiness-service.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { Hasher } from '../ports/hasher.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What callers are authenticated with, and responses signed with. */
export interface AuthenticationParts extends AuthenticationFilesParts {
  readonly mode: AuthenticationMode;
  readonly guard: ReplayGuard;
  readonly hasher: Hasher;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
}

/** Mutual authentication while the service runs. */
export interface KeptAuthentication {
  /** For the HTTP API. */
  readonly authentication: RequestAuthentication;
  /** Shows it in readiness, which depends on it where callers have to authenticate. */
  tell(readiness: ReadinessService): void;
  /** How it is, for monitoring. Never rejects. */
  state(): Promise<AuthenticationState>;
  /** Reloads the list of authorities and the service's token. Never throws. */
  reload(): void;
  stop(): void;
}

/**
 * Opens the files of mutual authentication, reloads them when they change (SIGNING_WATCH), and logs
 * every day when the service's token has to be renewed. It keeps no process alive.
 * @throws OperatorError that names the file, the setting and what to do
 */
export function keepAuthentication(parts: AuthenticationParts): KeptAuthentication {
  const { mode, guard, hasher, verifier, clock, watch, authoritiesFile, tokenFile } = parts;
  const fileWatch = new FileWatch(() => files.reload());
  // Before the files are read, so that no change falls in between.
  if (watch) fileWatch.watch([authoritiesFile, tokenFile]);
  const files = openFiles(parts, fileWatch);
  files.tellState();
  const daily = setInterval(() => files.tellState(), DAY_MS).unref();
  const service = new AuthenticationService({ authorities: files, identity: files, verifier, guard, hasher, clock });
  return {
    authentication: new RequestAuthentication({ mode, service, identity: files, clock }),
    tell: (readiness) => {
      showFact(readiness, 'authentication', () => ({ mode, ...files.report() }));
      if (mode === 'required') readiness.requireAuthentication(() => guard.fault());
    },
    state: async () => {
      const { expirationTime, authorities } = files.report();
      const tokenExpiresAt = parseExpirationTime(expirationTime);
      return {
        ...{ isRequired: mode === 'required', tokenExpiresAt, authorities },
        canTellReplays: (await guard.fault()) === null,
      };
    },
    reload: () => files.reload(),
    stop: () => {
      fileWatch.stop();
      clearInterval(daily);
    },
  };
}

/** A service that does not start watches nothing. */
function openFiles(parts: AuthenticationParts, fileWatch: FileWatch): AuthenticationFiles {
  try {
    return new AuthenticationFiles(parts);
  } catch (error) {
    fileWatch.stop();
    throw error;
  }
}
