import { setTimeout as sleep } from 'node:timers/promises';
import type { RateBudget, RateSharing } from '../../../domain/model/rate-limit.ts';
import type { RateGrant, RateLimiter, RateRequest } from '../../../ports/rate-limiter.ts';
import type { RedisCommand, RedisReply } from '../../../redis/redis-connection.ts';
import { connectionFault, RedisFault } from '../../../redis/redis-fault.ts';
import type { RedisLink } from '../../../redis/redis-link.ts';
import type { RedisReport } from './redis-report.ts';
import { TAKE_SCRIPT } from './take-script.ts';

/** What all keys begin with. */
export const RATE_PREFIX = 'signing-service:rate:';

/** A bucket that is nobody's, full again after a millisecond: what Redis grants of it, it would grant of the others. */
const TRIAL: { readonly request: RateRequest; readonly budget: RateBudget } = {
  request: { key: '', points: 1, fewest: 1 },
  budget: { points: 1, windowSeconds: 0.001 },
};

/** How long after a failure Redis is tried again, milliseconds. */
const RETRY_MS = 1000;

/** What a {@link RedisRateLimiter} works with. */
export interface RedisRateLimiterParts {
  /** What is counted: one word, which the keys begin with. */
  readonly name: string;
  readonly link: Pick<RedisLink, 'send' | 'isClosed'>;
  /** What is asked while Redis can't be. Its budget is the one that is shared. */
  readonly own: RateLimiter;
  /** Shared by all limiters of one Redis: what one finds out is known to all. */
  readonly report: RedisReport;
}

/**
 * Buckets that replicas share through Redis or Valkey. While Redis is away, each replica uses
 * buckets of its own: only the request that met the failure waits, for as long as the link lets it.
 * Redis is retried every second until it answers, so that an idle replica recovers without a
 * request.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #parts: RedisRateLimiterParts;
  readonly #prefix: string;
  #isRetrying = false;

  constructor(parts: RedisRateLimiterParts) {
    this.#parts = parts;
    this.#prefix = `${RATE_PREFIX}${parts.name}:`;
  }

  get budget(): RateBudget {
    return this.#parts.own.budget;
  }

  get sharing(): RateSharing {
    return this.#parts.report.sharing;
  }

  async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const { own, report } = this.#parts;
    if (report.isApart) return own.take(requests);
    try {
      return await this.#ask(takeCommand(this.#prefix, requests, this.budget), requests);
    } catch (error) {
      report.failed(connectionFault(error));
      if (!this.#isRetrying) void this.#retry();
      return own.take(requests);
    }
  }

  /** Retries until Redis answers or the link is closed. Never rejects; keeps no process alive. */
  async #retry(): Promise<void> {
    const { link, report } = this.#parts;
    this.#isRetrying = true;
    while (report.isApart) {
      await sleep(RETRY_MS, undefined, { ref: false });
      if (link.isClosed) return;
      try {
        await this.#ask(trialCommand(this.#prefix), [TRIAL.request]);
        report.answered();
      } catch (error) {
        report.failed(connectionFault(error));
      }
    }
    this.#isRetrying = false;
  }

  async #ask(command: RedisCommand, requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const [reply = null] = await this.#parts.link.send([command]);
    return readReply(reply, requests);
  }
}

/** What a limiter asks Redis to see whether it can be asked: with a key, and written to, since a user may have the right to the script and not to these. */
export function trialCommand(prefix: string): RedisCommand {
  return takeCommand(prefix, [TRIAL.request], TRIAL.budget);
}

function takeCommand(
  prefix: string,
  requests: readonly RateRequest[],
  { points, windowSeconds }: RateBudget,
): RedisCommand {
  const keys = requests.map(({ key }) => `${prefix}${key}`);
  const wanted = requests.flatMap(({ points: want, fewest }) => [String(want), String(fewest)]);
  const budget = [String(points), String(windowSeconds * 1_000_000)];
  return ['EVAL', TAKE_SCRIPT, String(keys.length), ...keys, ...budget, ...wanted];
}

/** Nothing that comes from there is believed unseen. */
function readReply(reply: RedisReply, requests: readonly RateRequest[]): readonly RateGrant[] {
  if (!Array.isArray(reply) || reply.length !== requests.length) throw new RedisFault('it answers with something else');
  return requests.map(({ points }, index) => {
    const [granted, retryAfterMs] = Array.isArray(reply[index]) ? reply[index] : [];
    if (!isWholeNumber(granted) || !isWholeNumber(retryAfterMs) || granted > points) {
      throw new RedisFault('it answers with something else');
    }
    return { granted, retryAfterMs };
  });
}

function isWholeNumber(reply: unknown): reply is number {
  return typeof reply === 'number' && Number.isSafeInteger(reply) && reply >= 0;
}
