import type { Container } from 'inversify';
import { AUDIT_KEY, AUTH_KEY } from './shared-parts.ts';
import { TOKENS as T } from './tokens.ts';

/**
 * Forgets every key of accounts, every master key that was unlocked, the audit key and that of answers, and wipes what protected them. Nothing is opened for it. Safe to call
 * twice. What signs with the latter two has to be done by then.
 */
export function purgeKeys(container: Container): void {
  try {
    container.get(T.KeyStore).purge();
    container.get(T.CredentialSource).purge();
  } finally {
    // Destroys the keys where they were opened.
    container.unbind(AUDIT_KEY);
    container.unbind(AUTH_KEY);
  }
}
