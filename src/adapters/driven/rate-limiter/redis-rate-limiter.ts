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

/** What a {@link RedisRateLimiter} works with. */
export interface RedisRateLimiterParts {
  /** What is counted: one word, which the keys begin with. */
  readonly name: string;
  readonly link: Pick<RedisLink, 'send'>;
  /** What is asked while Redis can't be. Its budget is the one that is shared. */
  readonly own: RateLimiter;
  /** Shared by all limiters of one Redis: what one finds out is known to all. */
  readonly report: RedisReport;
}

/**
 * Buckets that replicas share through Redis or Valkey. Where Redis does not answer, each replica goes on with buckets of its own: whoever asked then waits no longer than the link does, and nobody else waits at all, since Redis
 * is tried again beside the requests and not by them.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #parts: RedisRateLimiterParts;
  readonly #prefix: string;
  #isTrying = false;

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
    if (report.isApart) {
      if (!this.#isTrying && report.isDue) void this.#tryAgain();
      return own.take(requests);
    }
    try {
      return await this.#ask(takeCommand(this.#prefix, requests, this.budget), requests);
    } catch (error) {
      report.failed(connectionFault(error));
      return own.take(requests);
    }
  }

  /** Never rejects. */
  async #tryAgain(): Promise<void> {
    const { report } = this.#parts;
    this.#isTrying = true;
    try {
      await this.#ask(trialCommand(this.#prefix), [TRIAL.request]);
      report.answered();
    } catch (error) {
      report.failed(connectionFault(error));
    } finally {
      this.#isTrying = false;
    }
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
