import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../../../../files/system-error-code.ts';
import type { RedisAddress, RedisCredentials } from './redis-address.ts';
import { RedisFault } from './redis-fault.ts';

/** Redis itself takes no longer one in a line of its configuration. */
const MAX_LENGTH = 4096;

/**
 * As whom Redis is spoken to: as the URL says, or with the password in a file, which is read anew for each connection, so that it can be changed while the service
 * runs. A line break at its end is none of it.
 * @throws RedisFault when it can't be read
 */
export async function readCredentials(address: RedisAddress, passwordFile: string | null): Promise<RedisCredentials> {
  const credentials = address.credentials();
  if (passwordFile === null) return credentials;
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
