import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../files/system-error-code.ts';
import { settleWithin } from '../node/settle-within.ts';
import type { RedisAddress } from './redis-address.ts';

/**
 * Why Redis cannot be used. The message completes "Redis …: " and never contains text from Redis
 * or the operator.
 */
export class RedisError extends Error {
  override readonly name = 'RedisError';
  /** Code of the error reply; null when unknown or not a reply. */
  readonly code: string | null;
  /** Whether Redis rejected only this command; the connection stays usable. */
  readonly isOfCommand: boolean;

  constructor(message: string, code: string | null = null, isOfCommand = false) {
    super(message);
    this.code = code;
    this.isOfCommand = isOfCommand;
  }
}

/** Messages by error code. The reply's own text is untrusted and not shown. */
const REPLY_MESSAGES: { readonly [code: string]: string } = {
  NOAUTH: 'password required',
  WRONGPASS: 'user or password rejected',
  NOPERM: "the user lacks a permission that this service needs (docs/operators/replicas.md, 'Access to Redis')",
  OOM: 'no memory left for writes (maxmemory)',
  READONLY: 'read-only replica',
  LOADING: 'still loading its data',
  MASTERDOWN: 'replica whose master is down',
  MISCONF: 'writes rejected because data cannot be saved to disk',
  NOREPLICAS: 'writes rejected because there are too few replicas',
  BUSY: 'busy with a script',
  WRONGTYPE: 'a key of this service has an unexpected type or value',
  MOVED: 'Redis Cluster is not supported',
  CLUSTERDOWN: 'the cluster is down',
  ERR: 'a command was rejected',
};

/**
 * Codes that concern the command alone. Any other one, also an unknown one, says that this server
 * cannot serve writes now: after a failover another one may, behind the same address.
 */
const COMMAND_CODES: readonly string[] = ['ERR', 'NOPERM', 'WRONGTYPE'];

/** Until 6.2, Redis wraps the error of a command in a script in the text of an `ERR`. */
const SCRIPT_ERROR = /^ERR Error running script [^@]*(?:@user_script: ?\d+: ){1,2}-?(?=[A-Z]+ )/;

/** Converts an error reply. */
export function replyError(reply: Error): RedisError {
  const code = /^[A-Z]+/.exec(reply.message.replace(SCRIPT_ERROR, ''))?.[0] ?? '';
  const explanation = REPLY_MESSAGES[code];
  return explanation === undefined
    ? new RedisError('unknown error reply')
    : new RedisError(`${explanation} (${code})`, code, COMMAND_CODES.includes(code));
}

/** Name and arguments. */
export type RedisCommand = readonly [name: string, ...args: readonly string[]];

/** The reply types in use. */
export type RedisReply = string | number | null | readonly RedisReply[];

interface RedisTimings {
  /** Timeout of a `send`, milliseconds: of connecting and the replies together. */
  readonly replyTimeoutMs: number;
  /** Pause after a failure, milliseconds. */
  readonly pauseMs: number;
}

const TIMINGS: RedisTimings = { replyTimeoutMs: 500, pauseMs: 1000 };

interface RedisOptions {
  readonly address: RedisAddress;
  /** File with the password, read for each connection; null when in the address, or none. */
  readonly passwordFile: string | null;
  readonly timings?: RedisTimings;
}

type RedisLibrary = typeof import('@redis/client');

type Client = ReturnType<RedisLibrary['createClient']>;

/** A client of the library, used until its first failure. */
interface Session {
  readonly client: Client;
  /** Resolves once it is connected and authenticated. */
  readonly ready: Promise<unknown>;
}

/**
 * Redis or Valkey, through one connection for all users: made on first use, and discarded after a
 * failure, so that the address can lead to the new master after a failover. After a failure,
 * commands are rejected for `pauseMs`. Then one call at a time tries again; the others are rejected
 * meanwhile. Nothing is sent twice. Keeps the process alive only while a command is pending.
 */
export class Redis {
  readonly #createClient: () => Client;
  readonly #ErrorReply: RedisLibrary['ErrorReply'];
  readonly #timings: RedisTimings;
  #session: Session | null = null;
  /** Rejects commands until {@link #retryAt}; null while Redis can be used. */
  #failure: RedisError | null = null;
  /** Monotonic milliseconds. */
  #retryAt = 0;
  #isClosed = false;

  private constructor({ createClient, ErrorReply }: RedisLibrary, options: RedisOptions) {
    const { address, passwordFile, timings = TIMINGS } = options;
    const { host, port, isTls, database } = address;
    const clientOptions = {
      socket: {
        host,
        port,
        connectTimeout: timings.replyTimeoutMs,
        reconnectStrategy: false as const,
        // The library's types have no variable here.
        tls: isTls as true,
        // Overrides NODE_TLS_REJECT_UNAUTHORIZED=0.
        rejectUnauthorized: true,
      },
      credentialsProvider: {
        type: 'async-credentials-provider' as const,
        credentials: () => readCredentials(address, passwordFile),
      },
      database,
      // Understood by Redis 5 and later.
      RESP: 2 as const,
      disableClientInfo: true,
      maintNotifications: 'disabled' as const,
      disableOfflineQueue: true,
      // `send` has one timer for its commands, which covers the wait for replies, too.
      commandOptions: { timeout: 0 },
    };
    this.#createClient = () => createClient(clientOptions);
    this.#ErrorReply = ErrorReply;
    this.#timings = timings;
    // The first one makes a class with every command.
    this.#createClient().destroy();
  }

  /** Does not connect. Blocks for a quarter of a second, so call it before serving. */
  static async load(options: RedisOptions): Promise<Redis> {
    return new Redis(await import('@redis/client'), options);
  }

  /** Pause after a failure, milliseconds: when to try again. */
  get pauseMs(): number {
    return this.#timings.pauseMs;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends commands and returns their replies in order. A replica responds to reads, and so does a
   * demoted master: only a write finds out.
   * @throws RedisError when a reply is an error, or Redis is unreachable or too slow: then commands
   * may have been executed
   */
  async send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    const { replyTimeoutMs, pauseMs } = this.#timings;
    if (this.#isClosed) throw new RedisError('the connection was closed');
    if (this.#failure !== null) {
      const now = performance.now();
      if (now < this.#retryAt) throw this.#failure;
      this.#retryAt = now + pauseMs;
    }
    this.#session ??= this.#connect();
    const session = this.#session;
    try {
      const replies = await settleWithin(replyTimeoutMs, this.#exchange(session, commands), () => {
        throw new RedisError(`no reply within ${replyTimeoutMs} ms`);
      });
      this.#failure = null;
      return replies;
    } catch (error) {
      const issue = this.#toRedisError(error);
      // Also of a command that is part of connecting.
      if (issue.isOfCommand && session.client.isReady) {
        this.#failure = null;
      } else {
        this.#failure = issue;
        this.#retryAt = performance.now() + pauseMs;
        this.#discard(session);
      }
      throw issue;
    }
  }

  /** Disconnects; pending and later commands are rejected. Idempotent. */
  close(): void {
    this.#isClosed = true;
    if (this.#session !== null) this.#discard(this.#session);
  }

  #connect(): Session {
    const client = this.#createClient();
    client.unref();
    const session = { client, ready: client.connect() };
    // Also when Redis closes an idle connection, which is not the failure of a call.
    client.on('error', () => this.#discard(session));
    return session;
  }

  async #exchange({ client, ready }: Session, commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    await ready;
    const toIssue = (error: unknown) => this.#toRedisError(error);
    const replies = await Promise.all(
      commands.map((command) => client.sendCommand<RedisReply>(command).catch(toIssue)),
    );
    const issues = replies.filter((reply) => reply instanceof RedisError);
    const issue = issues.find(({ isOfCommand }) => !isOfCommand) ?? issues[0];
    if (issue !== undefined) throw issue;
    return replies as readonly RedisReply[];
  }

  /** Its pending commands reject. */
  #discard(session: Session): void {
    const { client, ready } = session;
    if (this.#session === session) this.#session = null;
    const destroy = () => client.destroy();
    destroy();
    // The library completes a connection that it has begun.
    ready.then(destroy, () => undefined);
  }

  /** Uses only codes of replies, the system and TLS, never foreign text. */
  #toRedisError(error: unknown): RedisError {
    if (error instanceof RedisError) return error;
    if (error instanceof this.#ErrorReply) return replyError(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return new RedisError(/^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? `unreachable (${code})` : 'the connection was closed');
  }
}

const LONE_USER =
  'SIGNING_REDIS_URL has a user but no password; use redis://:PASSWORD@host for a password without a user, redis://USER:PASSWORD@host for both, or set SIGNING_REDIS_PASSWORD_FILE';

/**
 * Credentials of the URL, or with the password from the file; a final line break is ignored.
 * @throws RedisError when it cannot be read; or for a user without password, usually a password
 * with its colon missing
 */
async function readCredentials({ username, password }: RedisAddress, passwordFile: string | null) {
  if (username !== '' && password === '' && passwordFile === null) throw new RedisError(LONE_USER);
  return {
    ...(username !== '' && { username }),
    password: passwordFile === null ? password : await readPassword(passwordFile),
  };
}

async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new RedisError(`the file in SIGNING_REDIS_PASSWORD_FILE cannot be read (${systemErrorCode(error)})`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new RedisError('the file in SIGNING_REDIS_PASSWORD_FILE is empty');
  return password;
}
