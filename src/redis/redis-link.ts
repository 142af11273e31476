import type { RedisAddress } from './redis-address.ts';
import { type RedisClientLibrary, type RedisCommand, RedisConnection, type RedisReply } from './redis-connection.ts';
import { connectionFault, RedisFault } from './redis-fault.ts';
import { readCredentials } from './redis-password.ts';

/** How long an answer is waited for, and how long nothing is tried after a failure; milliseconds. */
export interface LinkPace {
  readonly answerMs: number;
  readonly pauseMs: number;
}

const PACE: LinkPace = { answerMs: 500, pauseMs: 1000 };

/** Where Redis is, how it is spoken to, and who does. */
export interface RedisLinkParts {
  readonly address: RedisAddress;
  /** File with the password; null when it is in the address, or there is none. */
  readonly passwordFile: string | null;
  readonly library: RedisClientLibrary;
  readonly pace?: LinkPace;
}

/**
 * Redis for those who ask while a request waits: connected when it is first asked, and anew after a failure, but for a moment then everybody is told at once that it can't be reached, so that
 * no request waits for what does not answer. Nothing is sent twice.
 */
export class RedisLink {
  readonly #parts: RedisLinkParts;
  readonly #pace: LinkPace;
  #opening: Promise<RedisConnection> | null = null;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #lastFault: RedisFault | null = null;
  #isClosed = false;

  constructor(parts: RedisLinkParts) {
    this.#parts = parts;
    this.#pace = parts.pace ?? PACE;
  }

  /** Why the last commands failed; null when they did not. */
  get fault(): RedisFault | null {
    return this.#lastFault;
  }

  /**
   * Sends commands at once and gives their replies in their order.
   * @throws RedisFault when one of them is an error, when it can't be reached, or does not answer in time: then they may have been carried out
   */
  send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    return this.#send(commands, true);
  }

  /** Ends it. Safe to call twice; later commands are refused. */
  close(): void {
    this.#isClosed = true;
    this.#opening?.then(closeConnection, () => undefined);
    this.#opening = null;
  }

  async #send(commands: readonly RedisCommand[], mayOpenAnew: boolean): Promise<readonly RedisReply[]> {
    if (this.#isClosed) throw new RedisFault('the connection was closed');
    if (this.#lastFault !== null && performance.now() < this.#pausedUntil) throw this.#lastFault;
    const opening = this.#opening ?? this.#open();
    try {
      const connection = await opening;
      // Redis ended it while nobody asked: that is no failure of this request.
      if (!connection.isOpen && mayOpenAnew) {
        if (this.#opening === opening) this.#opening = null;
        return await this.#send(commands, false);
      }
      const replies = await connection.send(commands);
      this.#lastFault = null;
      return replies;
    } catch (error) {
      throw this.#drop(opening, connectionFault(error));
    }
  }

  #open(): Promise<RedisConnection> {
    const opening = this.#connect();
    this.#opening = opening;
    return opening;
  }

  async #connect(): Promise<RedisConnection> {
    const { address, passwordFile, library } = this.#parts;
    const credentials = await readCredentials(address, passwordFile);
    return RedisConnection.open(library, address, credentials, this.#pace.answerMs);
  }

  /** Many may wait for the same connection; it is given up once. */
  #drop(failed: Promise<RedisConnection>, fault: RedisFault): RedisFault {
    this.#lastFault = fault;
    if (this.#opening !== failed) return fault;
    this.#opening = null;
    this.#pausedUntil = performance.now() + this.#pace.pauseMs;
    failed.then(closeConnection, () => undefined);
    return fault;
  }
}

function closeConnection(connection: RedisConnection): void {
  connection.close();
}
