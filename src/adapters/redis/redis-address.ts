import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../files/system-error-code.ts';
import { RedisError } from './redis-connection.ts';

const DEFAULT_PORT = 6379;
const MASK = '***';

/** Arguments of AUTH. */
export interface RedisCredentials {
  readonly username: string | null;
  readonly password: string | null;
}

/** Address and credentials of a Redis. Printing it never shows the password. */
export class RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly database: number;
  /**
   * The URL for logs, password masked; also a user without password, which may be a password whose
   * colon is missing.
   */
  readonly shown: string;
  readonly #credentials: RedisCredentials;

  /** Use {@link parseRedisUrl}. */
  constructor(url: URL, credentials: RedisCredentials) {
    const isTls = url.protocol === 'rediss:';
    const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
    const database = Number(url.pathname.slice(1));
    const { username, password } = credentials;
    const loneUser = username === null ? '' : MASK;
    const user = password === null ? loneUser : `${url.username}:${MASK}`;
    this.host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.port = port;
    this.isTls = isTls;
    this.database = database;
    this.shown = `${url.protocol}//${user === '' ? '' : `${user}@`}${url.hostname}:${port}/${database}`;
    this.#credentials = credentials;
  }

  get hasPassword(): boolean {
    return this.#credentials.password !== null;
  }

  credentials(): RedisCredentials {
    return this.#credentials;
  }
}

/**
 * Parses `redis://user:password@host:6379/0`, or `rediss://` for TLS; user, password, port and
 * database are optional.
 * @returns null for anything else
 */
export function parseRedisUrl(text: string): RedisAddress | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^rediss?:$/.test(url.protocol) || url.hostname === '') return null;
  if (!/^(?:\/\d{0,4})?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return null;
  const username = decode(url.username);
  const password = decode(url.password);
  if (username === undefined || password === undefined) return null;
  return new RedisAddress(url, { username: username || null, password: password || null });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Longest line of a Redis configuration. */
const MAX_LENGTH = 4096;

const LONE_USER =
  'SIGNING_REDIS_URL has a user but no password; use redis://:PASSWORD@host for a password without a user, redis://USER:PASSWORD@host for both, or set SIGNING_REDIS_PASSWORD_FILE';

/**
 * Credentials from the URL, or with the password from a file, read for each connection so that it
 * can change at run time; a final line break is ignored.
 * @throws RedisError when it cannot be read; or for a user without password, usually a password
 * with its colon missing
 */
export async function readCredentials(address: RedisAddress, passwordFile: string | null): Promise<RedisCredentials> {
  const credentials = address.credentials();
  if (passwordFile === null) {
    if (credentials.username !== null && credentials.password === null) throw new RedisError(LONE_USER);
    return credentials;
  }
  const password = (await readText(passwordFile)).replace(/\r?\n$/, '');
  if (password === '' || password.length > MAX_LENGTH) {
    throw new RedisError('the file in SIGNING_REDIS_PASSWORD_FILE is empty or too long for a password');
  }
  return { ...credentials, password };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new RedisError(`the file in SIGNING_REDIS_PASSWORD_FILE cannot be read (${systemErrorCode(error)})`);
  }
}
