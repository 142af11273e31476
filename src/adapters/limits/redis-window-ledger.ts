import { z } from 'zod';
import { Outage } from '../../domain/flow/outage.ts';
import type { Demand } from '../../domain/model/attempt.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Charged, RateSharing, WindowLedger } from '../../ports/window-ledger.ts';
import { type Redis, type RedisCommand, RedisError } from '../redis/redis.ts';
import type { LedgerKind } from './ledger-kind.ts';
import { computeRetry, type Part } from './window.ts';

/** Of a value, characters: several times the parts of a window. */
const MAX_LENGTH = 8192;

/**
 * Charges demands, like `charge` in window.ts, or refunds them. A value is `endsAt exponent units;`
 * for each part, in order. Anything else is an error where all or none is charged, otherwise
 * replaced. Uses the clock of Redis. A key expires once nothing in it counts.
 *
 * ARGV: 1 if all or none is charged; parts of a window; then units, minUnits, maxUnits, exponent,
 * window (milliseconds) of each key, and the end of the part to refund or 0. Reply: the time; and
 * granted units, 1 if refused, the end of the current part, and the value for each key.
 */
const CHARGE_SCRIPT = `
local isTogether, parts = ARGV[1] == '1', tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found, isNone = {}, false
local function part(endsAt, exponent, units) return string.format('%.0f %.0f %.0f;', endsAt, exponent, units) end
for i, key in ipairs(KEYS) do
  local units, minUnits, maxUnits = tonumber(ARGV[6 * i - 3]), tonumber(ARGV[6 * i - 2]), tonumber(ARGV[6 * i - 1])
  local exponent, window, refunded = tonumber(ARGV[6 * i]), tonumber(ARGV[6 * i + 1]), tonumber(ARGV[6 * i + 2])
  local width = math.ceil(window / parts)
  local current = (math.floor(now / width) + 1) * width
  local text = (isTogether and redis.call or redis.pcall)('GET', key) or ''
  if type(text) ~= 'string' or #text > ${MAX_LENGTH} or string.gsub(text, '%d+ %-?%d+ %d+;', '') ~= '' then
    if isTogether then return redis.error_reply('WRONGTYPE no charges') end
    text = ''
  end
  local used, first, last, own, isChanged = 0, #text + 1, nil, 0, false
  for at, endsAt, power, charged, after in string.gmatch(text, '()(%d+) (%-?%d+) (%d+);()') do
    endsAt, power, charged = tonumber(endsAt), tonumber(power), tonumber(charged)
    if endsAt > now - window then
      first, last, own, isChanged = math.min(first, at), after, 0, isChanged or endsAt > current
      if power == exponent then used = used + charged
      elseif power > exponent then used = used + charged * 10 ^ (power - exponent)
      else used = used + math.ceil(charged / 10 ^ (exponent - power)) end
      if endsAt == current and power == exponent then last, own = at, charged end
    end
  end
  local kept = string.sub(text, first, (last or 1) - 1)
  if isChanged then
    kept = string.gsub(kept, '(%d+)( %-?%d+ %d+;)', function(endsAt, rest)
      return string.format('%.0f', math.min(endsAt, current)) .. rest
    end)
  end
  local left = maxUnits - used
  local granted, isRefused = math.min(units, left), left < minUnits
  if isRefused then granted = 0 end
  if refunded > 0 then
    granted, own, isChanged = 0, 0, true
    kept = string.gsub(text, '(%d+) (%-?%d+) (%d+);', function(endsAt, power, charged)
      if tonumber(endsAt) ~= refunded or tonumber(power) ~= exponent then return nil end
      local back = math.min(charged, units)
      units = units - back
      return part(endsAt, power, charged - back)
    end)
  end
  isNone = isNone or isTogether and isRefused
  found[i] = {granted, isRefused and 1 or 0, current, kept, own, exponent, window + width, isChanged}
end
local replies = {}
for i, key in ipairs(KEYS) do
  local granted, isRefused, current, text, own, exponent, kept, isChanged = unpack(found[i])
  if isNone then granted = 0 end
  if own + granted > 0 then text = text .. part(current, exponent, own + granted) end
  if granted > 0 or isChanged then redis.call('SET', key, text, 'PX', kept) end
  replies[i] = {granted, isRefused, current, text}
end
return {now, replies}
`;

const replySchema = z.tuple([
  z.int(),
  z.array(z.tuple([z.int().min(0), z.literal([0, 1]), z.int(), z.string().regex(/^(?:\d+ -?\d+ \d+;)*$/)])),
]);

interface RedisWindowLedgerOptions extends Pick<Ports, 'clock' | 'log'> {
  readonly kind: LedgerKind;
  readonly link: Pick<Redis, 'send' | 'isClosed' | 'pauseMs'>;
  /** URL of the Redis, without password. */
  readonly redis: string;
}

/**
 * The ledger shared through Redis or Valkey, unavailable with it. A charge whose reply is lost
 * stays counted. Emptying Redis loses all charges. During an outage Redis is tried after each
 * pause of the link, so that an idle replica reports its end.
 */
export class RedisWindowLedger implements WindowLedger {
  readonly #options: RedisWindowLedgerOptions;
  /** Also of commands that Redis rejects. */
  readonly outage: Outage;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: RedisWindowLedgerOptions) {
    this.#options = options;
    this.outage = new Outage(options.clock);
  }

  async charge(demands: readonly Demand[]): Promise<Charged | null> {
    const reply = await this.#send(demands);
    if (reply === null) return null;
    const [now, results] = reply;
    const charged = demands.map((demand, index) => ({ ...demand, units: results[index]?.[0] ?? 0 }));
    return {
      grants: results.map(([granted, isRefused, , value], index) => {
        let parts: readonly Part[] | undefined;
        const retryAfterMs = (units: number) => {
          parts ??= parseParts(value);
          return computeRetry(parts, demands[index] as Demand, this.#options.kind, units, now);
        };
        return { granted, isRefused: isRefused === 1, retryAfterMs };
      }),
      refund: async () => {
        const ends = results.map(([, , endsAt]) => endsAt);
        await this.#send(charged, ends);
      },
    };
  }

  /** Null after a failure, which is logged. */
  async #send(demands: readonly Demand[], refunded: readonly number[] = []) {
    const { kind, link, log, redis } = this.#options;
    try {
      const [reply] = await link.send([toCommand(kind, demands, refunded)]);
      const { data } = replySchema.safeParse(reply);
      if (data?.[1].length !== demands.length) throw new RedisError('unexpected reply from the script');
      if (this.outage.since !== null) log.recovered(kind.recovered, { redis }, kind);
      this.outage.end();
      return data;
    } catch (error) {
      const reason = `Redis: ${(error as RedisError).message}`;
      this.outage.begin(reason);
      log[kind.level](`${kind.outage} ${reason}.${kind.meanwhile}`, { redis }, kind);
      this.#retryLater();
      return null;
    }
  }

  /** Does not keep the process alive. */
  #retryLater(): void {
    const { link } = this.#options;
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      if (this.outage.since !== null && !link.isClosed) void this.#send([TRIAL]);
    }, link.pauseMs).unref();
  }
}

/**
 * A ledger of rates that is never unavailable: during an outage each replica counts for itself. If
 * Redis hangs, only requests of the first half second wait for it.
 * @param name of the limit, part of its keys
 */
export function shareRates(name: string, shared: RedisWindowLedger, own: WindowLedger): WindowLedger {
  return {
    charge: async (demands) => {
      const named = demands.map((demand) => ({ ...demand, key: `${name}:${demand.key}` }));
      const charged = shared.outage.since === null ? await shared.charge(named) : null;
      return charged ?? own.charge(demands);
    },
  };
}

/** Whether replicas share rate limits through that ledger. */
export function getRateSharing({ outage: { since, reason } }: RedisWindowLedger): RateSharing {
  return { shared: true, state: since === null ? 'current' : 'apart', apartSince: since, reason };
}

/** Its key expires within two milliseconds. */
const TRIAL: Demand = { key: '', units: 1, minUnits: 1, maxUnits: 1, exponent: 0, windowSeconds: 0.001 };

/** A command that tests script, key and write permissions of the Redis user. */
export function createTrialCommand(kind: LedgerKind): RedisCommand {
  return toCommand(kind, [TRIAL], []);
}

function toCommand(
  { prefix, isTogether, parts }: LedgerKind,
  demands: readonly Demand[],
  refunded: readonly number[],
): RedisCommand {
  const keys = demands.map(({ key }) => `${prefix}${key}`);
  const values = demands.flatMap(({ units, minUnits, maxUnits, exponent, windowSeconds }, index) => {
    return [units, minUnits, maxUnits, exponent, windowSeconds * 1000, refunded[index] ?? 0];
  });
  return ['EVAL', CHARGE_SCRIPT, ...[keys.length, ...keys, Number(isTogether), parts, ...values].map(String)];
}

function parseParts(text: string): readonly Part[] {
  return Array.from(text.matchAll(/(\d+) (-?\d+) (\d+);/g), (match) => {
    const [endsAt = 0, exponent = 0, units = 0] = match.slice(1).map(Number);
    return { endsAt, exponent, units };
  });
}
