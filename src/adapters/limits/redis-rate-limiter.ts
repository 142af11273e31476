import { setTimeout as sleep } from 'node:timers/promises';
import { Outage } from '../../domain/flow/outage.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateBudget, RateGrant, RateLimiter, RateRequest, RateSharing } from '../../ports/rate-limiter.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { type Redis, type RedisCommand, RedisError, type RedisReply } from '../redis/redis.ts';
import { connectionError } from '../redis/redis-connection.ts';

/**
 * Takes from token buckets in Redis, like `takeFrom` in memory-rate-limiter.ts. A key expires when
 * its bucket is full. Uses the clock of Redis, in microseconds.
 *
 * ARGV: points and window (microseconds) of the budget; then points and minPoints of each key.
 * Reply: granted points and milliseconds until `minPoints` are available, for each key. A value is
 * `used at`; anything else counts as a full bucket.
 */
export const TAKE_SCRIPT = `
local points, usPerPoint = tonumber(ARGV[1]), tonumber(ARGV[2]) / tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local replies = {}
for i, key in ipairs(KEYS) do
  local wanted, minPoints = tonumber(ARGV[2 * i + 1]), tonumber(ARGV[2 * i + 2])
  local text = redis.call('GET', key) or ''
  local used, at = string.match(text, '^(%d[%d.]*) (%d+)$')
  used, at = tonumber(used) or 0, tonumber(at) or now
  local isAhead = at > now
  if isAhead then at = now end
  used = math.max(0, math.min(used, points) - (now - at) / usPerPoint)
  local left = math.floor(points - used + 1e-6)
  local granted = 0
  if left >= minPoints then granted = math.min(wanted, left) end
  used = used + granted
  if granted > 0 or isAhead then
    redis.call('SET', key, string.format('%.9f %.0f', used, now), 'PX', math.ceil(used * usPerPoint / 1000) + 1)
  end
  local missing = used + minPoints - points
  local retryAfterMs = 0
  if missing > 1e-6 then retryAfterMs = math.ceil(missing * usPerPoint / 1000 - 1e-6) end
  replies[i] = {granted, retryAfterMs}
end
return replies
`;

/** Prefix of all keys. */
export const RATE_PREFIX = 'signing-service:rate:';

/** A bucket that refills in a millisecond: tests whether Redis can be used. */
const PROBE: { readonly request: RateRequest; readonly budget: RateBudget } = {
  request: { key: '', points: 1, minPoints: 1 },
  budget: { points: 1, windowSeconds: 0.001 },
};

interface RedisRateLimiterOptions {
  /** Scope of the limit, part of the keys. */
  readonly name: string;
  readonly link: Pick<Redis, 'send' | 'isClosed'>;
  /** Fallback while Redis is unavailable; its budget is the shared one. */
  readonly own: RateLimiter;
  /** Shared by all limiters of one Redis. */
  readonly report: RedisReport;
  /** Interval of retries after a failure, milliseconds (default: 1000). */
  readonly retryMs?: number;
}

/**
 * The RateLimiter shared through Redis or Valkey. While Redis is down, each replica uses its own
 * buckets; only the request that met the failure waits. Redis is retried every second, so that an
 * idle replica recovers.
 */
export class RedisRateLimiter implements RateLimiter {
  readonly #options: RedisRateLimiterOptions;
  readonly #prefix: string;
  #isRetrying = false;

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
    this.#prefix = `${RATE_PREFIX}${options.name}:`;
  }

  get budget(): RateBudget {
    return this.#options.own.budget;
  }

  get sharing(): RateSharing {
    return this.#options.report.sharing;
  }

  async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const { own, report } = this.#options;
    if (report.isApart) return own.take(requests);
    try {
      return await this.#send(takeCommand(this.#prefix, requests, this.budget), requests);
    } catch (error) {
      report.failed(connectionError(error));
      if (!this.#isRetrying) void this.#retry();
      return own.take(requests);
    }
  }

  /**
   * Retries until Redis replies or the link is closed. Never rejects; does not keep the process
   * alive.
   */
  async #retry(): Promise<void> {
    const { link, report, retryMs = 1000 } = this.#options;
    this.#isRetrying = true;
    while (report.isApart) {
      await sleep(retryMs, undefined, { ref: false });
      if (link.isClosed) return;
      try {
        await this.#send(createTrialCommand(this.#prefix), [PROBE.request]);
        report.replied();
      } catch (error) {
        report.failed(connectionError(error));
      }
    }
    this.#isRetrying = false;
  }

  async #send(command: RedisCommand, requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const [reply = null] = await this.#options.link.send([command]);
    return readReply(reply, requests);
  }
}

/** A command that tests script, key and write permissions of the Redis user. */
export function createTrialCommand(prefix: string): RedisCommand {
  return takeCommand(prefix, [PROBE.request], PROBE.budget);
}

function takeCommand(
  prefix: string,
  requests: readonly RateRequest[],
  { points, windowSeconds }: RateBudget,
): RedisCommand {
  const keys = requests.map(({ key }) => `${prefix}${key}`);
  const wanted = requests.flatMap(({ points: want, minPoints }) => [String(want), String(minPoints)]);
  const budget = [String(points), String(windowSeconds * 1_000_000)];
  return ['EVAL', TAKE_SCRIPT, String(keys.length), ...keys, ...budget, ...wanted];
}

/** Replies are untrusted. */
function readReply(reply: RedisReply, requests: readonly RateRequest[]): readonly RateGrant[] {
  if (!Array.isArray(reply) || reply.length !== requests.length)
    throw new RedisError('unexpected reply from the script');
  return requests.map(({ points }, index) => {
    const [granted, retryAfterMs] = Array.isArray(reply[index]) ? reply[index] : [];
    if (!isWholeNumber(granted) || !isWholeNumber(retryAfterMs) || granted > points) {
      throw new RedisError('unexpected reply from the script');
    }
    return { granted, retryAfterMs };
  });
}

function isWholeNumber(reply: unknown): reply is number {
  return typeof reply === 'number' && Number.isSafeInteger(reply) && reply >= 0;
}

const SHARING = { topic: 'rate limits' };

/** Logs and reports whether limits are shared through Redis. */
export class RedisReport {
  readonly #redis: string;
  readonly #log: ServiceLog;
  readonly #outage: Outage;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Clock, log: ServiceLog) {
    this.#redis = redis;
    this.#log = log;
    this.#outage = new Outage(clock);
  }

  get isApart(): boolean {
    return this.#outage.since !== null;
  }

  get sharing(): RateSharing {
    const { since: apartSince, reason } = this.#outage;
    return { shared: true, state: apartSince === null ? 'current' : 'apart', apartSince, reason };
  }

  /** Redis did not reply, or replied with an error. */
  failed({ message }: RedisError): void {
    const reason = `Redis: ${message}`;
    this.#outage.begin(reason);
    const warning = `Rate limits are currently not shared. ${reason}. Meanwhile each replica allows the full limit.`;
    this.#log.warn(warning, { redis: this.#redis }, SHARING);
  }

  replied(): void {
    this.#outage.end();
    this.#log.recovered('Rate limits are shared again.', { redis: this.#redis }, SHARING);
  }
}
