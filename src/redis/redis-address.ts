const DEFAULT_PORT = 6379;
const MASK = '***';

/** Name and password, as AUTH takes them. */
export interface RedisCredentials {
  readonly username: string | null;
  readonly password: string | null;
}

/** Where a Redis is, and as whom it is spoken to. The password is in no text that is made of it. */
export class RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly database: number;
  /** The URL with a mask in the place of its password, for logs and messages; also of a user without one, which may be a password whose colon was forgotten. */
  readonly shown: string;
  readonly #credentials: RedisCredentials;

  /** Use {@link parseRedisUrl}. */
  constructor(url: URL, credentials: RedisCredentials) {
    const isTls = url.protocol === 'rediss:';
    const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
    const database = Number(url.pathname.slice(1));
    const { username, password } = credentials;
    const lone = username === null ? '' : MASK;
    const user = password === null ? lone : `${url.username}:${MASK}`;
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
 * `redis://user:password@host:6379/0`, or `rediss://` for TLS; user, password, port and database may be left out.
 * @returns null for a text that is no such URL
 */
export function parseRedisUrl(text: string): RedisAddress | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^rediss?:$/.test(url.protocol) || url.hostname === '') return null;
  if (!/^(?:\/\d{0,4})?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return null;
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === undefined || password === undefined) return null;
  return new RedisAddress(url, { username: username || null, password: password || null });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
