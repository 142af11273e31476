import { z } from 'zod';
import { Outage } from '../../domain/flow/outage.ts';
import type { Demand } from '../../domain/model/attempt.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Charged, RateSharing, WindowLedger } from '../../ports/window-ledger.ts';
import { type Redis, type RedisCommand, RedisError } from '../redis/redis.ts';
import type { LedgerKind } from './ledger-kind.ts';
import { computeRetry, getLeft, type Part } from './window.ts';

/** Of a value, characters: several times the parts of a window. */
const MAX_LENGTH = 16_384;

/** Of a part, characters: its numbers are finite. */
const MAX_PART_LENGTH = 40;

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
local isTogether, partCount = ARGV[1] == '1', tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function find(parts, endsAt, exponent)
  for at = #parts, 1, -1 do
    local part = parts[at]
    if part.endsAt < endsAt then return nil end
    if part.endsAt == endsAt and part.exponent == exponent then return part end
  end
end

local function add(parts, added)
  local part = find(parts, added.endsAt, added.exponent)
  if part == nil then return table.insert(parts, added) end
  part.units, part.text = part.units + added.units, nil
end

local function parse(text, current)
  if type(text) ~= 'string' or #text > ${MAX_LENGTH} then return nil end
  local parts, read, isChanged = {}, 1, false
  while read <= #text do
    local endsAt, exponent, units, after = string.match(text, '^(%d+) (%-?%d+) (%d+);()', read)
    if after == nil or after - read > ${MAX_PART_LENGTH} then return nil end
    local part = {endsAt = tonumber(endsAt), exponent = tonumber(exponent), units = tonumber(units)}
    if part.endsAt > current then
      part.endsAt, isChanged = current, true
    else
      part.text = string.sub(text, read, after - 1)
    end
    add(parts, part)
    read = after
  end
  return parts, isChanged
end

local function format(parts)
  local texts = {}
  for at, part in ipairs(parts) do
    texts[at] = part.text or string.format('%.0f %.0f %.0f;', part.endsAt, part.exponent, part.units)
  end
  return table.concat(texts)
end

local function convert(part, exponent)
  if part.exponent == exponent or part.units == 0 then return part.units end
  if part.exponent > exponent then return part.units * 10 ^ (part.exponent - exponent) end
  return math.ceil(part.units / 10 ^ (exponent - part.exponent))
end

local found, isNone = {}, false
for i, key in ipairs(KEYS) do
  local units, minUnits, maxUnits = tonumber(ARGV[6 * i - 3]), tonumber(ARGV[6 * i - 2]), tonumber(ARGV[6 * i - 1])
  local exponent, window, refunded = tonumber(ARGV[6 * i]), tonumber(ARGV[6 * i + 1]), tonumber(ARGV[6 * i + 2])
  local width = math.ceil(window / partCount)
  local current = (math.floor(now / width) + 1) * width
  local text = redis.pcall('GET', key) or ''
  if type(text) == 'table' and not string.find(text.err, 'WRONGTYPE', 1, true) then return text end
  local parts, isChanged = parse(text, current)
  if parts == nil then
    if isTogether then return redis.error_reply('WRONGTYPE no charges') end
    parts = {}
  end
  local counted, left = {}, maxUnits
  for _, part in ipairs(parts) do
    if part.endsAt > now - window then
      table.insert(counted, part)
      left = left - convert(part, exponent)
    end
  end
  local isRefused = left < minUnits
  local granted = isRefused and 0 or math.min(units, left)
  if refunded > 0 then
    granted = 0
    local part = find(parts, refunded, exponent)
    isChanged = isChanged or part ~= nil
    if part ~= nil then part.units, part.text = math.max(part.units - units, 0), nil end
  end
  isNone = isNone or isTogether and isRefused
  found[i] = {parts, counted, granted, isRefused and 1 or 0, current, exponent, window + width, isChanged}
end
local replies = {}
for i, key in ipairs(KEYS) do
  local parts, counted, granted, isRefused, current, exponent, kept, isChanged = unpack(found[i])
  if isNone then granted = 0 end
  if granted > 0 then add(counted, {endsAt = current, exponent = exponent, units = granted}) end
  local value = format(counted)
  if granted > 0 then redis.call('SET', key, value, 'PX', kept)
  elseif isChanged then redis.call('SET', key, format(parts), 'PX', kept) end
  replies[i] = {granted, isRefused, current, value}
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
        const demand = demands[index] as Demand;
        let parsed: readonly Part[] | undefined;
        const parts = () => (parsed ??= parseParts(value));
        return {
          granted,
          isRefused: isRefused === 1,
          left: () => Math.max(0, getLeft(parts(), demand)),
          retryAfterMs: (units) => computeRetry(parts(), demand, this.#options.kind, units, now),
        };
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
  const texts = text.split(';').slice(0, -1);
  return texts.map((part) => {
    const [endsAt = 0, exponent = 0, units = 0] = part.split(' ').map(Number);
    return { endsAt, exponent, units };
  });
}
