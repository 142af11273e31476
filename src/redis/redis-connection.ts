import type { RedisAddress, RedisCredentials } from './redis-address.ts';
import { connectionFault, RedisFault, replyFault } from './redis-fault.ts';

/** A command as it is sent: its name and its arguments. */
export type RedisCommand = readonly [name: string, ...args: readonly string[]];

/** What Redis answers, of the kinds that are asked for. */
export type RedisReply = string | number | null | readonly RedisReply[];

/** What is used of a client of `@redis/client`. */
interface Client {
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  destroy(): void;
  unref(): void;
  readonly isReady: boolean;
  on(event: 'error', listener: () => void): unknown;
}

/** The library, as {@link loadRedisClient} loaded it. */
export interface RedisClientLibrary {
  readonly createClient: (options: object) => unknown;
  readonly ErrorReply: abstract new () => Error;
}

/** Loads the library: a tenth of a second in which nothing else runs, so that it is done before requests are taken, and only where Redis is used. */
export async function loadRedisClient(): Promise<RedisClientLibrary> {
  const { createClient, ErrorReply } = await import('@redis/client');
  return { createClient: (options) => createClient(options), ErrorReply };
}

/** Sends commands to Redis; {@link RedisConnection} says how. */
export interface RedisCommands {
  send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  ask(commands: readonly RedisCommand[]): Promise<readonly (RedisReply | RedisFault)[]>;
  askForList(command: RedisCommand): Promise<readonly RedisReply[]>;
}

/**
 * One connection, which is used until something is wrong with it, and then thrown away: no queue of commands outlives it, and nothing is sent twice behind
 * its user's back. It keeps no process alive.
 */
export class RedisConnection implements RedisCommands {
  readonly #client: Client;
  readonly #ErrorReply: RedisClientLibrary['ErrorReply'];
  readonly #answerMs: number;

  private constructor(client: Client, { ErrorReply }: RedisClientLibrary, answerMs: number) {
    this.#client = client;
    this.#ErrorReply = ErrorReply;
    this.#answerMs = answerMs;
  }

  /**
   * Connects, authenticates and selects the database.
   * @param answerMs how long it may take, and each answer after it, milliseconds
   * @throws RedisFault
   */
  static async open(
    library: RedisClientLibrary,
    address: RedisAddress,
    credentials: RedisCredentials,
    answerMs: number,
  ): Promise<RedisConnection> {
    const { host, port, isTls, database } = address;
    const client = library.createClient({
      socket: {
        ...{ host, port, tls: isTls, connectTimeout: answerMs, reconnectStrategy: false },
        // Otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the verification off.
        rejectUnauthorized: true,
      },
      ...(credentials.username !== null && { username: credentials.username }),
      ...(credentials.password !== null && { password: credentials.password }),
      database,
      // What Redis 5 and all that came after it understand.
      RESP: 2,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      disableOfflineQueue: true,
      // Whole answers are waited for here, with one timer instead of one per command.
      commandOptions: { timeout: 0 },
    }) as Client;
    const connection = new RedisConnection(client, library, answerMs);
    // What it tells is told to whoever waits for an answer, too.
    client.on('error', () => undefined);
    client.unref();
    try {
      await connection.#inTime(client.connect());
      return connection;
    } catch (error) {
      connection.close();
      throw connection.#faultOf(error);
    }
  }

  /** Whether commands can be sent; false for good once the other side has ended it. */
  get isOpen(): boolean {
    return this.#client.isReady;
  }

  /**
   * Sends commands at once and gives their replies in their order.
   * @throws RedisFault when one of them is an error, or they don't come in time
   */
  async send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    const replies = await this.ask(commands);
    const fault = replies.find((reply) => reply instanceof RedisFault);
    if (fault !== undefined) throw fault;
    return replies as readonly RedisReply[];
  }

  /**
   * The same, with a reply that is an error as a value in its place.
   * @throws RedisFault when they don't come in time, or the connection ends
   */
  async ask(commands: readonly RedisCommand[]): Promise<readonly (RedisReply | RedisFault)[]> {
    try {
      return await this.#inTime(Promise.all(commands.map((command) => this.#reply(command))));
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  /**
   * The list that one command is answered with; an empty one where the key holds something of another kind, which is nobody's counters.
   * @throws RedisFault
   */
  async askForList(command: RedisCommand): Promise<readonly RedisReply[]> {
    const [reply] = await this.ask([command]);
    if (reply instanceof RedisFault && reply.code !== 'WRONGTYPE') throw reply;
    return Array.isArray(reply) ? reply : [];
  }

  /** Ends it at once. Safe to call twice. */
  close(): void {
    try {
      this.#client.destroy();
    } catch {
      // It was closed already.
    }
  }

  async #reply(command: RedisCommand): Promise<RedisReply | RedisFault> {
    try {
      return (await this.#client.sendCommand(command)) as RedisReply;
    } catch (error) {
      if (error instanceof this.#ErrorReply) return replyFault(error);
      throw error;
    }
  }

  #faultOf(error: unknown): RedisFault {
    return error instanceof this.#ErrorReply ? replyFault(error) : connectionFault(error);
  }

  /** A Redis that hangs takes connections and commands, and is silent. */
  async #inTime<Value>(work: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const fault = new RedisFault(`it did not answer within ${this.#answerMs} ms`);
      timer = setTimeout(reject, this.#answerMs, fault).unref();
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
