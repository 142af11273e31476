import type { Container } from 'inversify';
import type { KeptAuthentication } from './keep-authentication.ts';
import type { Settings } from './settings.ts';
import { AUTH_KEY } from './shared-parts.ts';
import { TOKENS as T } from './tokens.ts';

/** Loaded, and its files opened, only where it is on: the library of its messages makes a start longer. */
export async function openAuthentication(settings: Settings, container: Container): Promise<KeptAuthentication | null> {
  const { mode, authoritiesFile, tokenFile } = settings.auth;
  if (mode === 'off') return null;
  const { keepAuthentication } = await import('./keep-authentication.ts');
  return keepAuthentication({
    ...{ mode, authoritiesFile, tokenFile, watch: settings.watch, production: settings.production },
    key: container.get(AUTH_KEY),
    verifier: container.get(T.SignatureVerifier),
    guard: await container.getAsync(T.ReplayGuard),
    hasher: container.get(T.Hasher),
    clock: container.get(T.Clock),
    log: container.get(T.ServiceLog),
  });
}
