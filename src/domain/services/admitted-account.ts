import type { CredentialAccount } from '../../ports/credential-source.ts';
import type { Account } from '../model/account.ts';
import type { AdmittedKey } from './key-admission.ts';

/**
 * An account as configured, with the key that was taken in for it. Not put together by spreading, since there may be a hundred thousand of them: V8 may make a hidden class for each object that is spread
 * into a longer one, as that of Node 20 does, and every garbage collection goes through them all.
 * @param createdAt ISO 8601 UTC with milliseconds, also where the configuration gives none
 */
export function admittedAccount(
  { platformId, accountId, alias, status, environment, algorithm, values, keyRevision }: CredentialAccount,
  createdAt: string,
  { handle, publicKey, address }: AdmittedKey,
): Account {
  const account: { -readonly [Member in keyof Account]: Account[Member] } = {
    platformId,
    accountId,
    alias,
    status,
    environment,
    algorithm,
    publicKey,
    createdAt,
    key: handle,
  };
  if (address !== undefined) account.address = address;
  if (values !== undefined) account.values = values;
  if (keyRevision !== undefined) account.keyRevision = keyRevision;
  return account;
}
