import { settleWithin } from '../node/settle-within.ts';
import { type RedisCommand, RedisError, type RedisReply, type readCredentials, replyError } from './redis.ts';
import type { RedisAddress } from './redis-address.ts';

/** Converts a connection failure; uses only codes of the system and TLS, never foreign text. */
export function connectionError(error: unknown): RedisError {
  if (error instanceof RedisError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return new RedisError(`unreachable (${code})`);
  if (error instanceof Error && /^(?:Socket|Connection|Client|Disconnects)/.test(error.constructor.name)) {
    return new RedisError('the connection was closed');
  }
  return new RedisError(`unexpected error (${error instanceof Error ? error.constructor.name : typeof error})`);
}

/** Throws the first error among the replies; returns them otherwise. */
export function withoutErrors(replies: readonly (RedisReply | RedisError)[]): readonly RedisReply[] {
  const error = replies.find((reply) => reply instanceof RedisError);
  if (error !== undefined) throw error;
  return replies as readonly RedisReply[];
}

/** The part of `@redis/client` in use. */
interface Client {
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  destroy(): void;
  unref(): void;
  readonly isReady: boolean;
  on(event: 'error', listener: () => void): unknown;
}

/** From {@link loadRedisClient}. */
export interface RedisClientLibrary {
  readonly createClient: (options: object) => unknown;
  readonly ErrorReply: abstract new () => Error;
}

/**
 * Loads the library. Blocks for a tenth of a second, so call it before serving, and only with
 * Redis.
 */
export async function loadRedisClient(): Promise<RedisClientLibrary> {
  const { createClient, ErrorReply } = await import('@redis/client');
  // Never connects. Each `createClient` makes a class with every command, which blocks for tens of
  // milliseconds: duplicates share this one's.
  const model = createClient({ RESP: 2 });
  return { createClient: (options) => model.duplicate(options), ErrorReply };
}

/** Commands of a {@link RedisConnection}. */
export interface RedisCommands {
  send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  sendSettled(commands: readonly RedisCommand[]): Promise<readonly (RedisReply | RedisError)[]>;
  sendForList(command: RedisCommand): Promise<readonly RedisReply[]>;
}

/**
 * One connection, discarded after its first failure: no command queue survives it, and nothing is
 * sent twice. Keeps the process alive only while a command is pending, for its timeout at most.
 */
export class RedisConnection implements RedisCommands {
  readonly #client: Client;
  readonly #ErrorReply: RedisClientLibrary['ErrorReply'];
  readonly #replyTimeoutMs: number;

  private constructor(client: Client, { ErrorReply }: RedisClientLibrary, replyTimeoutMs: number) {
    this.#client = client;
    this.#ErrorReply = ErrorReply;
    this.#replyTimeoutMs = replyTimeoutMs;
  }

  /**
   * Connects, authenticates and selects the database.
   * @param replyTimeoutMs timeout of that, and of each reply, milliseconds
   * @throws RedisError
   */
  static async open(
    library: RedisClientLibrary,
    address: RedisAddress,
    credentials: Awaited<ReturnType<typeof readCredentials>>,
    replyTimeoutMs: number,
  ): Promise<RedisConnection> {
    const { host, port, isTls, database } = address;
    const client = library.createClient({
      socket: {
        ...{ host, port, tls: isTls, connectTimeout: replyTimeoutMs, reconnectStrategy: false },
        // Overrides NODE_TLS_REJECT_UNAUTHORIZED=0.
        rejectUnauthorized: true,
      },
      ...credentials,
      database,
      // Understood by Redis 5 and later.
      RESP: 2,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      disableOfflineQueue: true,
      // One timer here instead of one per command.
      commandOptions: { timeout: 0 },
    }) as Client;
    const connection = new RedisConnection(client, library, replyTimeoutMs);
    // Pending commands reject with the same error.
    client.on('error', () => undefined);
    client.unref();
    try {
      await connection.#withTimeout(client.connect());
      return connection;
    } catch (error) {
      connection.close();
      throw connection.#toError(error);
    }
  }

  /** Whether commands can be sent; permanently false once Redis has closed it. */
  get isOpen(): boolean {
    return this.#client.isReady;
  }

  /**
   * Sends commands and returns their replies in order.
   * @throws RedisError when one is an error or the timeout expires
   */
  async send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    return withoutErrors(await this.sendSettled(commands));
  }

  /**
   * Like `send`, with error replies as values.
   * @throws RedisError when the timeout expires or the connection ends
   */
  async sendSettled(commands: readonly RedisCommand[]): Promise<readonly (RedisReply | RedisError)[]> {
    try {
      return await this.#withTimeout(Promise.all(commands.map((command) => this.#reply(command))));
    } catch (error) {
      throw this.#toError(error);
    }
  }

  /**
   * The list reply of one command; empty for a key of another type.
   * @throws RedisError
   */
  async sendForList(command: RedisCommand): Promise<readonly RedisReply[]> {
    const [reply] = await this.sendSettled([command]);
    if (reply instanceof RedisError && reply.code !== 'WRONGTYPE') throw reply;
    return Array.isArray(reply) ? reply : [];
  }

  /** Closes immediately. Idempotent. */
  close(): void {
    try {
      this.#client.destroy();
    } catch {
      // Already closed.
    }
  }

  async #reply(command: RedisCommand): Promise<RedisReply | RedisError> {
    try {
      return (await this.#client.sendCommand(command)) as RedisReply;
    } catch (error) {
      if (error instanceof this.#ErrorReply) return replyError(error);
      throw error;
    }
  }

  #toError(error: unknown): RedisError {
    return error instanceof this.#ErrorReply ? replyError(error) : connectionError(error);
  }

  /** A hanging Redis accepts connections and commands without a reply. */
  #withTimeout<Value>(work: Promise<Value>): Promise<Value> {
    return settleWithin(this.#replyTimeoutMs, work, () => {
      throw new RedisError(`no reply within ${this.#replyTimeoutMs} ms`);
    });
  }
}
