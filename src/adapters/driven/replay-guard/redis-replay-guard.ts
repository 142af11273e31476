import { randomBytes } from 'node:crypto';
import type { WallClock } from '../../../ports/clock.ts';
import type { ReplayClaim, ReplayGuard, ReplayKey } from '../../../ports/replay-guard.ts';
import type { RedisCommand, RedisReply } from '../../../redis/redis-connection.ts';
import { connectionFault, RedisFault } from '../../../redis/redis-fault.ts';
import type { RedisLink } from '../../../redis/redis-link.ts';
import type { ReplayReport } from './replay-report.ts';

/** What the keys in Redis begin with. */
export const REPLAY_PREFIX = 'signing-service:replay:';

/** The key that says since when Redis has all keys: milliseconds since 1970-01-01T00:00:00Z. It does not expire, and goes when Redis is emptied. */
export const SINCE_KEY = `${REPLAY_PREFIX}since`;

/**
 * How far the clocks of replicas and of their clients may be apart, milliseconds: keys are kept for
 * so much longer, and what is made until so long after Redis was found empty is refused.
 */
const MARGIN_MS = 60_000;

/** How long a key is kept that was only set to see that it can be, milliseconds. */
const PROBE_MS = 1000;

/** What a {@link RedisReplayGuard} works with. */
export interface RedisReplayGuardParts {
  readonly link: Pick<RedisLink, 'send'>;
  readonly clock: WallClock;
  readonly report: Pick<ReplayReport, 'failed' | 'answered' | 'emptied'>;
}

/**
 * A ReplayGuard that replicas share: what one has seen, all have. One `SET NX PX` a claim, which
 * Redis carries out for one of all who send it. Nothing is `new` while Redis does not answer. Nor
 * is what was made before Redis was found empty, or up to a minute after: replicas may have taken
 * it, from clients whose clocks are ahead, and nobody remembers.
 */
export class RedisReplayGuard implements ReplayGuard {
  readonly #parts: RedisReplayGuardParts;
  /** Since when Redis had all keys at the last look; null before the first. */
  #since: number | null = null;

  constructor(parts: RedisReplayGuardParts) {
    this.#parts = parts;
  }

  /**
   * Has an empty Redis know from when on it has all keys. Call it when the service starts:
   * otherwise the first request finds Redis empty, and the minute begins only then. Never rejects;
   * what is claimed meanwhile is looked up after it.
   */
  async begin(): Promise<void> {
    await this.#ask([]);
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaim> {
    const keepMs = Math.max(0, Math.ceil(until - this.#parts.clock.now())) + MARGIN_MS;
    const asked = await this.#ask([setCommand(Buffer.from(key).toString('base64url'), keepMs)]);
    if (asked instanceof RedisFault) return 'unavailable';
    if (asked.reply !== 'OK') return 'seen';
    if (madeAt > asked.since) return 'new';
    return this.#isBlind(asked.since) ? 'unavailable' : 'too-old';
  }

  async fault(): Promise<string | null> {
    const asked = await this.#ask([setCommand(`probe:${randomBytes(16).toString('base64url')}`, PROBE_MS)]);
    if (asked instanceof RedisFault) return `Redis, which replicas share nonces through: ${asked.message}.`;
    if (!this.#isBlind(asked.since)) return null;
    return `Redis was found empty, so that requests made until ${new Date(asked.since).toISOString()} are refused: nobody remembers their nonces.`;
  }

  /** Whether nothing is known of keys made now. */
  #isBlind(since: number): boolean {
    return this.#parts.clock.now() <= since;
  }

  /** Sends commands, and tells what the first is answered with and since when Redis had all keys when it carried it out. */
  async #ask(
    commands: readonly RedisCommand[],
  ): Promise<{ readonly reply: RedisReply; readonly since: number } | RedisFault> {
    const { link, clock, report } = this.#parts;
    // The key is set before, so that whoever finds it missing is refused for it; and read after, so that a Redis that is emptied in between is not believed either.
    const set: RedisCommand = ['SET', SINCE_KEY, String(Math.ceil(clock.now()) + MARGIN_MS), 'NX'];
    try {
      const replies = await link.send([set, ...commands, ['GET', SINCE_KEY]]);
      const since = this.#sinceOf(replies.at(-1));
      report.answered();
      if (this.#since === null ? this.#isBlind(since) : this.#since !== since) report.emptied(since);
      this.#since = since;
      return { reply: replies[1] ?? null, since };
    } catch (error) {
      const fault = connectionFault(error);
      report.failed(fault);
      return fault;
    }
  }

  /** Nothing that comes from there is believed unseen: later than a replica whose clock is ahead would say it is no time of this service. */
  #sinceOf(reply: RedisReply | undefined): number {
    const since = readSince(reply, this.#parts.clock.now());
    if (since !== null) return since;
    throw new RedisFault(`its key ${SINCE_KEY} holds no time of this service`);
  }
}

/** What {@link SINCE_KEY} says; null for what no replica writes whose clock is right. @param now milliseconds since 1970-01-01T00:00:00Z */
export function readSince(reply: RedisReply | undefined, now: number): number | null {
  const since = typeof reply === 'string' && /^\d{1,15}$/.test(reply) ? Number(reply) : Number.NaN;
  return since <= now + 2 * MARGIN_MS ? since : null;
}

function setCommand(name: string, keepMs: number): RedisCommand {
  return ['SET', `${REPLAY_PREFIX}${name}`, '1', 'NX', 'PX', String(keepMs)];
}
