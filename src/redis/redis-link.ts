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
 * no request waits for what does not answer. A command that Redis refuses is the concern of who sent it alone: the connection stays, for others ask on it too. Nothing is sent twice.
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

  /** Why Redis did not answer the last time; null when it did, be it by refusing a command. */
  get fault(): RedisFault | null {
    return this.#lastFault;
  }

  /** Whether it was closed for good. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends commands at once and gives their replies in their order.
   * @throws RedisFault when one of them is an error; when it can't be reached, or does not answer in time: then they may have been carried out
   */
  async send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    const replies = await this.#ask(commands, true);
    const refused = replies.find((reply) => reply instanceof RedisFault);
    if (refused !== undefined) throw refused;
    return replies as readonly RedisReply[];
  }

  /** Ends it. Safe to call twice; later commands are refused. */
  close(): void {
    this.#isClosed = true;
    this.#opening?.then(closeConnection, () => undefined);
    this.#opening = null;
  }

  /** The replies, with those that refuse a command in their places. */
  async #ask(commands: readonly RedisCommand[], mayOpenAnew: boolean): Promise<readonly (RedisReply | RedisFault)[]> {
    if (this.#isClosed) throw new RedisFault('the connection was closed');
    if (this.#lastFault !== null && performance.now() < this.#pausedUntil) throw this.#lastFault;
    const opening = this.#opening ?? this.#open();
    try {
      const connection = await opening;
      // Redis ended it while nobody asked: that is no failure of this request.
      if (!connection.isOpen && mayOpenAnew) {
        if (this.#opening === opening) this.#opening = null;
        return await this.#ask(commands, false);
      }
      const replies = await connection.ask(commands);
      const ofServer = replies.find((reply) => reply instanceof RedisFault && !reply.isOfCommand);
      if (ofServer !== undefined) throw ofServer;
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
