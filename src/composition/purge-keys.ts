import type { Container } from 'inversify';
import { AUDIT_KEY } from './container.ts';
import { TOKENS as T } from './tokens.ts';

/**
 * Forgets every key of accounts, every master key that was unlocked and the audit key, and wipes what protected them. Nothing is opened for it. Safe to call
 * twice. What signs with the audit key has to be done by then.
 */
export function purgeKeys(container: Container): void {
  try {
    container.get(T.KeyStore).purge();
    container.get(T.CredentialSource).purge();
  } finally {
    // Destroys the key where it was opened.
    container.unbind(AUDIT_KEY);
  }
}
