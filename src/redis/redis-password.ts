import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { RedisAddress, RedisCredentials } from './redis-address.ts';
import { RedisFault } from './redis-fault.ts';

/** Redis itself takes no longer one in a line of its configuration. */
const MAX_LENGTH = 4096;

const LONE_USER =
  'SIGNING_REDIS_URL names a user without a password; write redis://:PASSWORD@host for a password without a user, redis://USER:PASSWORD@host for both, or set SIGNING_REDIS_PASSWORD_FILE';

/**
 * As whom Redis is spoken to: as the URL says, or with the password in a file, which is read anew for each connection, so that it can be changed while the service
 * runs. A line break at its end is none of it.
 * @throws RedisFault when it can't be read; or when there is a user and no password, since that is mostly a password without the colon before it
 */
export async function readCredentials(address: RedisAddress, passwordFile: string | null): Promise<RedisCredentials> {
  const credentials = address.credentials();
  if (passwordFile === null) {
    if (credentials.username !== null && credentials.password === null) throw new RedisFault(LONE_USER);
    return credentials;
  }
  const password = (await readText(passwordFile)).replace(/\r?\n$/, '');
  if (password === '' || password.length > MAX_LENGTH) {
    throw new RedisFault('the file that SIGNING_REDIS_PASSWORD_FILE names holds no password');
  }
  return { ...credentials, password };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RedisFault(`the file that SIGNING_REDIS_PASSWORD_FILE names can not be read (${systemErrorCode(error)})`);
  }
}
