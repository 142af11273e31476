import { type RedisAddress, readCredentials } from './redis-address.ts';
import {
  connectionError,
  type RedisClientLibrary,
  type RedisCommand,
  RedisConnection,
  RedisError,
  type RedisReply,
  withoutErrors,
} from './redis-connection.ts';

/** Timeout of a reply, and pause after a failure, milliseconds. */
interface LinkTimings {
  readonly replyTimeoutMs: number;
  readonly pauseMs: number;
}

const TIMINGS: LinkTimings = { replyTimeoutMs: 500, pauseMs: 1000 };

interface RedisLinkOptions {
  readonly address: RedisAddress;
  /** File with the password; null when in the address, or none. */
  readonly passwordFile: string | null;
  readonly library: RedisClientLibrary;
  readonly timings?: LinkTimings;
}

/**
 * Redis for waiting requests: connects on first use and reconnects after a failure, but fails at
 * once during the pause after it. A rejected command keeps the connection; a server that cannot
 * serve writes loses it, so that the address can lead to the new master after a failover. Nothing
 * is sent twice.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #timings: LinkTimings;
  #opening: Promise<RedisConnection> | null = null;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #lastError: RedisError | null = null;
  #isClosed = false;

  constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
  }

  /** The last failure; null after a reply, a rejected command included. */
  get issue(): RedisError | null {
    return this.#lastError;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends commands and returns their replies in order.
   * @throws RedisError when one is an error, or Redis is unreachable or too slow: then they may
   * have been executed
   */
  async send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    return withoutErrors(await this.#exchange(commands, true));
  }

  /** Closes it; later commands are rejected. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#opening?.then(closeConnection, () => undefined);
    this.#opening = null;
  }

  /** Replies, with rejected commands as values. */
  async #exchange(
    commands: readonly RedisCommand[],
    canReconnect: boolean,
  ): Promise<readonly (RedisReply | RedisError)[]> {
    if (this.#isClosed) throw new RedisError('the connection was closed');
    if (this.#lastError !== null && performance.now() < this.#pausedUntil) throw this.#lastError;
    const opening = this.#opening ?? this.#open();
    try {
      const connection = await opening;
      // Redis closed an idle connection: not a failure of this request.
      if (!connection.isOpen && canReconnect) {
        if (this.#opening === opening) this.#opening = null;
        return await this.#exchange(commands, false);
      }
      const replies = await connection.sendSettled(commands);
      const ofServer = replies.find((reply) => reply instanceof RedisError && !reply.isOfCommand);
      if (ofServer !== undefined) throw ofServer;
      this.#lastError = null;
      return replies;
    } catch (error) {
      throw this.#drop(opening, connectionError(error));
    }
  }

  #open(): Promise<RedisConnection> {
    const opening = this.#connect();
    this.#opening = opening;
    return opening;
  }

  async #connect(): Promise<RedisConnection> {
    const { address, passwordFile, library } = this.#options;
    const credentials = await readCredentials(address, passwordFile);
    return RedisConnection.open(library, address, credentials, this.#timings.replyTimeoutMs);
  }

  /** Several requests may share a failed connection; the first one drops it. */
  #drop(failed: Promise<RedisConnection>, error: RedisError): RedisError {
    this.#lastError = error;
    if (this.#opening !== failed) return error;
    this.#opening = null;
    this.#pausedUntil = performance.now() + this.#timings.pauseMs;
    failed.then(closeConnection, () => undefined);
    return error;
  }
}

function closeConnection(connection: RedisConnection): void {
  connection.close();
}
