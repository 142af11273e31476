import type { BudgetDemand } from '../../domain/model/attempt.ts';
import {
  BUCKETS_PER_WINDOW,
  type BudgetCharge,
  type BudgetCheck,
  type BudgetLedger,
} from '../../ports/budget-ledger.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { type Redis, type RedisCommand, RedisError, type RedisReply } from '../redis/redis.ts';
import { connectionError } from '../redis/redis-connection.ts';

/** Prefix of all keys. */
export const BUDGET_PREFIX = 'signing-service:budget:';

/**
 * Charges budgets in Redis, all or none, like BudgetWindow in budget-window.ts. A value is
 * `endsAt exponent units;` for each bucket; anything else is an error. Uses the clock of Redis. A
 * key expires once all its buckets are outside the window.
 *
 * ARGV: 1 to charge, 0 to check; then units, maximum, exponent and window (milliseconds) of each
 * key. Reply: the keys that are exceeded, from 1; and when the buckets of all keys end.
 */
const CHARGE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local exceeded, ends, texts, kept = {}, {}, {}, {}
for i, key in ipairs(KEYS) do
  local units, maxUnits = tonumber(ARGV[4 * i - 2]), tonumber(ARGV[4 * i - 1])
  local exponent, window = tonumber(ARGV[4 * i]), tonumber(ARGV[4 * i + 1])
  local width = math.ceil(window / ${BUCKETS_PER_WINDOW})
  local endsAt = (math.floor(now / width) + 1) * width
  local text = redis.call('GET', key) or ''
  if string.gsub(text, '%d+ %-?%d+ %d+;', '') ~= '' then
    return redis.error_reply('ERR the key does not contain budget charges')
  end
  local sum, own, buckets = 0, units, {}
  for bucketEnd, bucketExponent, charged in string.gmatch(text, '(%d+) (%-?%d+) (%d+);') do
    if tonumber(bucketEnd) > now - window then
      sum = sum + math.ceil(charged * 10 ^ (bucketExponent - exponent))
      if tonumber(bucketEnd) == endsAt and tonumber(bucketExponent) == exponent then own = own + charged
      else buckets[#buckets + 1] = bucketEnd .. ' ' .. bucketExponent .. ' ' .. charged .. ';' end
    end
  end
  if sum + units > maxUnits then exceeded[#exceeded + 1] = i end
  texts[i] = table.concat(buckets) .. string.format('%.0f %.0f %.0f;', endsAt, exponent, own)
  ends[i] = endsAt
  kept[i] = window + width
end
if #exceeded == 0 and ARGV[1] == '1' then
  for i, key in ipairs(KEYS) do redis.call('SET', key, texts[i], 'PX', kept[i]) end
end
return {exceeded, ends}
`;

/**
 * Takes charges back that are still counted.
 *
 * ARGV: when the bucket ends, exponent, units and window (milliseconds) of each key.
 */
const GIVE_BACK_SCRIPT = `
for i, key in ipairs(KEYS) do
  local endsAt, exponent, units = tonumber(ARGV[4 * i - 3]), tonumber(ARGV[4 * i - 2]), tonumber(ARGV[4 * i - 1])
  local window = tonumber(ARGV[4 * i])
  local text = redis.call('GET', key)
  if text then
    local left = string.gsub(text, '(%d+) (%-?%d+) (%d+);', function(bucketEnd, bucketExponent, charged)
      if tonumber(bucketEnd) ~= endsAt or tonumber(bucketExponent) ~= exponent then return nil end
      return string.format('%s %s %.0f;', bucketEnd, bucketExponent, math.max(0, charged - units))
    end)
    redis.call('SET', key, left, 'PX', window + math.ceil(window / ${BUCKETS_PER_WINDOW}))
  end
end
return 1
`;

const CHARGING = { topic: 'budgets' };

const UNAVAILABLE = { outcome: 'unavailable' } as const;

interface RedisBudgetLedgerOptions {
  readonly link: Pick<Redis, 'send'>;
  /** URL of the Redis, without password. */
  readonly redis: string;
  readonly log: ServiceLog;
}

/**
 * The BudgetLedger shared through Redis or Valkey. While Redis is unavailable nothing can be
 * charged. A charge whose reply is lost stays counted. Emptying Redis loses all charges.
 */
export class RedisBudgetLedger implements BudgetLedger {
  readonly #options: RedisBudgetLedgerOptions;

  constructor(options: RedisBudgetLedgerOptions) {
    this.#options = options;
  }

  async charge(demands: readonly BudgetDemand[]): Promise<BudgetCharge> {
    const reply = await this.#submit(demands, true);
    if (reply === null) return UNAVAILABLE;
    const { exceeded, ends } = reply;
    if (exceeded.length > 0) return { outcome: 'exceeded', exceeded };
    return { outcome: 'charged', refund: () => this.#refund(demands, ends) };
  }

  async check(demands: readonly BudgetDemand[]): Promise<BudgetCheck> {
    const reply = await this.#submit(demands, false);
    if (reply === null) return UNAVAILABLE;
    const { exceeded } = reply;
    return exceeded.length > 0 ? { outcome: 'exceeded', exceeded } : { outcome: 'within' };
  }

  async close(): Promise<void> {
    // The link is closed by its owner.
  }

  async #refund(demands: readonly BudgetDemand[], ends: readonly number[]): Promise<void> {
    const values = demands.flatMap(({ units, exponent, windowSeconds }, index) => {
      return [ends[index] ?? 0, exponent, units, windowSeconds * 1000];
    });
    await this.#send(toCommand(GIVE_BACK_SCRIPT, demands, values));
  }

  async #submit(demands: readonly BudgetDemand[], isCharge: boolean): Promise<ChargeReply | null> {
    const values = demands.flatMap(({ units, maxUnits, exponent, windowSeconds }) => {
      return [units, maxUnits, exponent, windowSeconds * 1000];
    });
    const reply = await this.#send(toCommand(CHARGE_SCRIPT, demands, [isCharge ? 1 : 0, ...values]));
    if (reply === undefined) return null;
    const parsed = parseReply(reply, demands.length);
    if (parsed === null) this.#failed(new RedisError('unexpected reply from the script'));
    return parsed;
  }

  /** Undefined after a failure, which is logged. */
  async #send(command: RedisCommand): Promise<RedisReply | undefined> {
    const { link, log, redis } = this.#options;
    try {
      const [reply = null] = await link.send([command]);
      log.recovered('Budgets can be charged again.', { redis }, CHARGING);
      return reply;
    } catch (error) {
      this.#failed(connectionError(error));
      return undefined;
    }
  }

  #failed({ message }: RedisError): void {
    const { log, redis } = this.#options;
    log.error(
      `Budgets cannot be charged; requests that need one get 503 BUDGET_UNAVAILABLE. Redis: ${message}.`,
      { redis },
      CHARGING,
    );
  }
}

interface ChargeReply {
  /** Indexes of demands. */
  readonly exceeded: readonly number[];
  readonly ends: readonly number[];
}

function toCommand(script: string, demands: readonly BudgetDemand[], values: readonly number[]): RedisCommand {
  const keys = demands.map(({ key }) => `${BUDGET_PREFIX}${key}`);
  return ['EVAL', script, String(keys.length), ...keys, ...values.map(String)];
}

/** Replies are untrusted; null for anything but a reply of {@link CHARGE_SCRIPT}. */
function parseReply(reply: RedisReply, count: number): ChargeReply | null {
  const [exceeded, ends] = Array.isArray(reply) ? reply : [];
  if (!isNumbers(exceeded) || !isNumbers(ends) || ends.length !== count) return null;
  if (exceeded.some((place) => place < 1 || place > count)) return null;
  return { exceeded: exceeded.map((place) => place - 1), ends };
}

function isNumbers(reply: unknown): reply is readonly number[] {
  return Array.isArray(reply) && reply.every((value) => Number.isSafeInteger(value));
}
