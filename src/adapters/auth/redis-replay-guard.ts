import { randomBytes } from 'node:crypto';
import type { Ports } from '../../ports/ports.ts';
import type { ReplayClaimResult, ReplayGuard, ReplayKey } from '../../ports/replay-guard.ts';
import { type Redis, type RedisCommand, RedisError, type RedisReply } from '../redis/redis.ts';

/** Prefix of all keys in Redis. */
export const REPLAY_PREFIX = 'signing-service:replay:';

/**
 * Time since which Redis has had all keys, milliseconds since 1970-01-01T00:00:00Z. Never expires;
 * vanishes when Redis is emptied.
 */
export const SINCE_KEY = `${REPLAY_PREFIX}since`;

/**
 * The promotion of a replica to master that {@link SINCE_KEY} takes into account: the
 * `master_replid2` of `INFO replication`, by which replicas find where the former master's writes
 * ended. Replication is asynchronous, so a promotion loses the last keys.
 */
const PROMOTION_KEY = `${REPLAY_PREFIX}promotion`;

/** `master_replid2` of a master that was no replica. */
const NEVER_PROMOTED = '0'.repeat(40);

/**
 * Tolerated clock difference of replicas and clients, milliseconds: added to expiries, and to the
 * time after finding Redis empty.
 */
const MARGIN_MS = 60_000;

/** Expiry of a key that only tests writing, milliseconds. */
const PROBE_MS = 1000;

const DETECTION = { topic: 'replay detection' };

interface RedisReplayGuardOptions extends Pick<Ports, 'clock' | 'log'> {
  readonly link: Pick<Redis, 'send'>;
  /** URL of the Redis, without password. */
  readonly redis: string;
}

/**
 * A ReplayGuard shared through Redis, one atomic `SET NX PX` per claim. Without Redis nothing is
 * `new`; nor is anything made until a minute after Redis was found empty or failed over.
 */
export class RedisReplayGuard implements ReplayGuard {
  readonly #options: RedisReplayGuardOptions;
  /** {@link SINCE_KEY} at the last command; null before the first. */
  #since: number | null = null;

  constructor(options: RedisReplayGuardOptions) {
    this.#options = options;
  }

  /** Initialises an empty Redis rather than at the first request; does not wait for it. */
  async start(): Promise<void> {
    void this.#send([]);
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaimResult> {
    const keepMs = Math.max(0, Math.ceil(until - this.#options.clock.now())) + MARGIN_MS;
    const result = await this.#send([setCommand(Buffer.from(key).toString('base64url'), keepMs)]);
    if (result instanceof RedisError) return 'unavailable';
    if (result.reply !== 'OK') return 'seen';
    if (madeAt > result.since) return 'new';
    return this.#isBlind(result.since) ? 'unavailable' : 'too-old';
  }

  async unavailability(): Promise<string | null> {
    const result = await this.#send([setCommand(`probe:${randomBytes(16).toString('base64url')}`, PROBE_MS)]);
    if (result instanceof RedisError) return `Redis, through which replicas share nonces: ${result.message}.`;
    if (!this.#isBlind(result.since)) return null;
    return `Redis was found empty or failed over, so requests made until ${new Date(result.since).toISOString()} are rejected: their nonces are unknown.`;
  }

  /** Redis has all keys. */
  async close(): Promise<void> {}

  /** Whether keys made now are unknown. */
  #isBlind(since: number): boolean {
    return this.#options.clock.now() <= since;
  }

  /** Sends commands; returns the reply to the first, and since when Redis had all keys. */
  async #send(
    commands: readonly RedisCommand[],
  ): Promise<{ readonly reply: RedisReply; readonly since: number } | RedisError> {
    const { link, redis, clock, log } = this.#options;
    const blindUntil = String(Math.ceil(clock.now()) + MARGIN_MS);
    // The time is set before, so that a missing key rejects the claim, and read after, in case
    // Redis is emptied in between; and after the promotion, since it is written before that.
    const set: RedisCommand = ['SET', SINCE_KEY, blindUntil, 'NX'];
    try {
      const replies = await link.send([
        set,
        ...commands,
        ['GET', PROMOTION_KEY],
        ['GET', SINCE_KEY],
        ['INFO', 'replication'],
      ]);
      const [known, time, info] = replies.slice(-3);
      const promotion = readPromotion(info);
      const isNewPromotion = promotion !== NEVER_PROMOTED && promotion !== known;
      if (isNewPromotion)
        await link.send([
          ['SET', SINCE_KEY, blindUntil],
          ['SET', PROMOTION_KEY, promotion],
        ]);
      const since = this.#parseSince(isNewPromotion ? blindUntil : time);
      log.recovered('Replays of requests with Signing-Request-Auth can be detected again.', { redis }, DETECTION);
      if (this.#since === null ? this.#isBlind(since) : this.#since !== since) this.#logLostNonces(since);
      this.#since = since;
      return { reply: replies[1] ?? null, since };
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      log.error(
        `Requests with Signing-Request-Auth currently get 503 (NOT_READY, REPLAY_GUARD_UNAVAILABLE): replays cannot be detected. Redis: ${error.message}.`,
        { redis },
        DETECTION,
      );
      return error;
    }
  }

  /** @param until requests made until then are rejected, milliseconds since 1970-01-01T00:00:00Z */
  #logLostNonces(until: number): void {
    const { redis, log } = this.#options;
    log.warn(
      `Redis may lack nonces of earlier requests with Signing-Request-Auth: it is new, was emptied, restarted without its data, or failed over to a replica. Requests made until ${new Date(until).toISOString()} are rejected.`,
      { redis },
      { topic: 'emptied replay guard' },
    );
  }

  /** Values from Redis are untrusted: a time too far ahead is not this service's. */
  #parseSince(reply: RedisReply | undefined): number {
    const since = readSince(reply, this.#options.clock.now());
    if (since !== null) return since;
    throw new RedisError(`its key ${SINCE_KEY} contains no valid time`);
  }
}

/**
 * Parses {@link SINCE_KEY}; null if no replica with a correct clock wrote it.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 */
export function readSince(reply: RedisReply | undefined, now: number): number | null {
  const since = typeof reply === 'string' && /^\d{1,15}$/.test(reply) ? Number(reply) : Number.NaN;
  return since <= now + 2 * MARGIN_MS ? since : null;
}

/** @throws RedisError */
function readPromotion(reply: RedisReply | undefined): string {
  const promotion = typeof reply === 'string' ? /^master_replid2:([0-9a-f]{40})\r?$/m.exec(reply)?.[1] : undefined;
  if (promotion === undefined) throw new RedisError('its INFO has no master_replid2');
  return promotion;
}

function setCommand(name: string, keepMs: number): RedisCommand {
  return ['SET', `${REPLAY_PREFIX}${name}`, '1', 'NX', 'PX', String(keepMs)];
}
