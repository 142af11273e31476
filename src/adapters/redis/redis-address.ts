const DEFAULT_PORT = 6379;
const MASK = '***';

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
  readonly #username: string;
  readonly #password: string;

  /** Use {@link parseRedisUrl}. */
  constructor({ protocol, hostname, port, pathname, username, password }: URL) {
    const user = password === '' ? MASK : `${username}:${MASK}`;
    this.host = hostname.replace(/^\[(.*)\]$/, '$1');
    this.port = port === '' ? DEFAULT_PORT : Number(port);
    this.isTls = protocol === 'rediss:';
    this.database = Number(pathname.slice(1));
    this.shown = `${protocol}//${username + password === '' ? '' : `${user}@`}${hostname}:${this.port}/${this.database}`;
    this.#username = decodeURIComponent(username);
    this.#password = decodeURIComponent(password);
  }

  /** Empty without one. */
  get username(): string {
    return this.#username;
  }

  /** Empty without one. */
  get password(): string {
    return this.#password;
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
  try {
    return new RedisAddress(url);
  } catch {
    // Its user or password is not percent-encoded.
    return null;
  }
}
