import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../ports/clock.ts';
import type { ReplayClaim, ReplayGuard, ReplayKey } from '../../../ports/replay-guard.ts';
import type { RedisCommand, RedisReply } from '../../../redis/redis-connection.ts';
import { connectionFault, RedisFault } from '../../../redis/redis-fault.ts';
import type { RedisLink } from '../../../redis/redis-link.ts';
import type { ReplayReport } from './replay-report.ts';

/** What the keys in Redis begin with. */
export const REPLAY_PREFIX = 'signing-service:replay:';

/** The key that says since when Redis has all keys: milliseconds since 1970-01-01T00:00:00Z. It does not expire, and goes when Redis is emptied. */
export const SINCE_KEY = `${REPLAY_PREFIX}since`;

/** How far the clocks of replicas, and of those who ask them, may differ: so much longer keys are kept, and so much later begins what an emptied Redis can tell of. Milliseconds. */
const MARGIN_MS = 60_000;

/** How long a key is kept that was only set to see that it can be, milliseconds. */
const PROBE_MS = 1000;

/** What a {@link RedisReplayGuard} works with. */
export interface RedisReplayGuardParts {
  readonly link: Pick<RedisLink, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly report: Pick<ReplayReport, 'failed' | 'answered' | 'emptied'>;
}

/**
 * A ReplayGuard that replicas share: what one has seen, all have. One `SET NX PX` a claim, which Redis carries out for one of all who send it. Where Redis does not answer, nothing is `new`; where it was emptied, nothing is
 * that was made before.
 */
export class RedisReplayGuard implements ReplayGuard {
  readonly #parts: RedisReplayGuardParts;
  /** Since when Redis had all keys at the last look; null before the first. */
  #since: number | null = null;

  constructor(parts: RedisReplayGuardParts) {
    this.#parts = parts;
  }

  /**
   * Has a Redis that is empty know that it has all keys from now on, before there are any. To be called when the service starts, or else the first request finds it empty, and is `too-old`. Never rejects; what is claimed
   * meanwhile is asked for after it.
   */
  async begin(): Promise<void> {
    await this.#ask([]);
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaim> {
    const keepMs = Math.max(0, Math.ceil(until - this.#parts.clock.now())) + MARGIN_MS;
    const asked = await this.#ask([setCommand(Buffer.from(key).toString('base64url'), keepMs)]);
    if (asked instanceof RedisFault) return 'unavailable';
    if (asked.reply !== 'OK') return 'seen';
    return madeAt <= asked.since ? 'too-old' : 'new';
  }

  async fault(): Promise<string | null> {
    const asked = await this.#ask([setCommand(`probe:${randomBytes(16).toString('base64url')}`, PROBE_MS)]);
    return asked instanceof RedisFault ? `Redis, which replicas share nonces through: ${asked.message}.` : null;
  }

  /** Sends commands, and tells what the first is answered with and since when Redis had all keys when it carried it out. */
  async #ask(
    commands: readonly RedisCommand[],
  ): Promise<{ readonly reply: RedisReply; readonly since: number } | RedisFault> {
    const { link, report } = this.#parts;
    // The key is set before, so that whoever finds it missing is refused for it; and read after, so that a Redis that is emptied in between is not believed either.
    const set: RedisCommand = ['SET', SINCE_KEY, String(this.#sinceIfEmpty()), 'NX'];
    try {
      const replies = await link.send([set, ...commands, ['GET', SINCE_KEY]]);
      const since = this.#sinceOf(replies.at(-1));
      report.answered();
      if (this.#since !== null && this.#since !== since) report.emptied(since);
      this.#since = since;
      return { reply: replies[1] ?? null, since };
    } catch (error) {
      const fault = connectionFault(error);
      report.failed(fault);
      return fault;
    }
  }

  /**
   * What an empty Redis is told. One that was not empty has lost what other replicas saw, whose clocks may be ahead of this one, as may those of their clients; where this replica knows of no such time, the service begins.
   */
  #sinceIfEmpty(): number {
    const now = Math.ceil(this.#parts.clock.now());
    return this.#since === null ? now : now + MARGIN_MS;
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
