import { RATE_PREFIX, trialCommand } from '../../adapters/driven/rate-limiter/redis-rate-limiter.ts';
import { REPLAY_PREFIX } from '../../adapters/driven/replay-guard/redis-replay-guard.ts';
import { USAGE_PREFIX } from '../../adapters/driven/usage-ledger/redis-usage-format.ts';
import type { RedisCommand } from '../../redis/redis-connection.ts';
import type { Settings } from '../settings.ts';

/** Something that the service asks Redis for. */
export interface RedisNeed {
  /** What needs it, in the plural. */
  readonly what: string;
  /** What its keys begin with. */
  readonly prefix: string;
  /** Each command that it sends, on keys of doctor's own, which end within a second. */
  readonly commands: readonly RedisCommand[];
  /** What comes of its being refused: a sentence. */
  readonly otherwise: string;
  /** Whether requests are refused then. */
  readonly isVital: boolean;
}

const KEPT_MS = '1000';

/** What the service needs Redis for as it is configured. */
export function redisNeeds({ auth, rateLimits }: Pick<Settings, 'auth' | 'rateLimits'>): readonly RedisNeed[] {
  const hasLimits = rateLimits.perCaller !== null || rateLimits.perAccount !== null;
  return [COUNTERS, ...(hasLimits ? [LIMITS] : []), ...(auth.mode === 'off' ? [] : [NONCES])];
}

const HASH = `${USAGE_PREFIX}doctor:hash`;
const SORTED = `${USAGE_PREFIX}doctor:sorted`;
const TEXT = `${USAGE_PREFIX}doctor:text`;

const COUNTERS: RedisNeed = {
  what: 'usage counters',
  prefix: USAGE_PREFIX,
  commands: [
    ['HSET', HASH, 'a', '0'],
    ['PEXPIRE', HASH, KEPT_MS],
    ['HGET', HASH, 'a'],
    ['HSCAN', HASH, '0', 'COUNT', '1'],
    // XX: there is no such member, and so nothing is written.
    ['ZADD', SORTED, 'XX', '0', 'a'],
    ['ZRANGEBYSCORE', SORTED, '0', '+inf', 'WITHSCORES'],
    ['SET', TEXT, '1', 'NX', 'PX', KEPT_MS],
    ['GET', TEXT],
    ['DEL', HASH, SORTED, TEXT],
  ],
  otherwise: 'The usage counters of the replicas are not added up.',
  isVital: false,
};

const BUCKET = `${RATE_PREFIX}doctor:text`;

const LIMITS: RedisNeed = {
  what: 'rate limits',
  prefix: RATE_PREFIX,
  // What the script calls is asked for by itself as well: for a right that is missing there, some versions answer with an error that does not say so.
  commands: [
    trialCommand(`${RATE_PREFIX}doctor:`),
    ['TIME'],
    ['SET', BUCKET, '1', 'NX', 'PX', KEPT_MS],
    ['GET', BUCKET],
  ],
  otherwise: 'Each replica allows the whole of the rate limits by itself.',
  isVital: false,
};

const NONCE = `${REPLAY_PREFIX}doctor`;

const NONCES: RedisNeed = {
  what: 'nonces',
  prefix: REPLAY_PREFIX,
  commands: [
    ['SET', NONCE, '1', 'NX', 'PX', KEPT_MS],
    ['GET', NONCE],
  ],
  otherwise: 'No caller with a token is served: whether a request came before is asked there.',
  isVital: true,
};
