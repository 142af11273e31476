import type { Container } from 'inversify';
import { TOKENS as T } from './tokens.ts';

/** Forgets every key of accounts and every master key that was unlocked, and wipes what protected them. Safe to call twice. */
export function purgeKeys(container: Container): void {
  container.get(T.KeyStore).purge();
  container.get(T.CredentialSource).purge();
}
