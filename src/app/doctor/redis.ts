import { REPLAY_PREFIX, readSince, SINCE_KEY } from '../../adapters/auth/redis-replay-guard.ts';
import { RATES } from '../../adapters/limits/ledger-kind.ts';
import { createTrialCommand } from '../../adapters/limits/redis-window-ledger.ts';
import { fail, type Issue, type Outcome, warning } from '../../adapters/machine/outcome.ts';
import { Redis, type RedisCommand, RedisError } from '../../adapters/redis/redis.ts';
import { REPLICAS_KEY, RETENTION_MS, USAGE_PREFIX } from '../../adapters/usage/redis-usage-format.ts';
import type { Settings } from '../settings/settings.ts';
import type { Configured, Row } from './rows.ts';

/** Redis, if configured. */
export const REDIS_ROWS: readonly Row<Configured>[] = [{ check: 'redis', run: ({ settings }) => checkRedis(settings) }];

/** A use of Redis by the service. */
interface RedisUse {
  /** Its purpose, in the plural. */
  readonly what: string;
  /** Prefix of its keys. */
  readonly prefix: string;
  /** Commands to try, on doctor's own keys, which expire within a second. */
  readonly commands: readonly RedisCommand[];
  /** Consequence of a missing right: a sentence. */
  readonly consequence: string;
  /** `fail` if requests are rejected without it. */
  readonly state: Issue['state'];
}

const PROBE_TTL_MS = '1000';
const HASH = `${USAGE_PREFIX}doctor:hash`;
const SORTED = `${USAGE_PREFIX}doctor:sorted`;
const RATE = `${RATES.prefix}doctor:text`;
const NONCE = `${REPLAY_PREFIX}doctor`;

const COUNTERS: RedisUse = {
  what: 'usage counters',
  prefix: USAGE_PREFIX,
  commands: [
    ['HSET', HASH, 'a', '0'],
    ['PEXPIRE', HASH, PROBE_TTL_MS],
    ['HMGET', HASH, 'a'],
    ['RENAME', HASH, `${HASH}-renamed`],
    // XX writes nothing: the member does not exist.
    ['ZADD', SORTED, 'XX', '0', 'a'],
    ['ZREVRANGEBYSCORE', SORTED, '+inf', '0'],
  ],
  consequence: 'Usage counters are not shared between replicas.',
  state: 'warning',
};

const LIMITS: RedisUse = {
  what: 'rate limits',
  prefix: RATES.prefix,
  // Commands of the script are tried by themselves, too: some versions hide a missing right behind
  // another error.
  commands: [createTrialCommand(RATES), ['TIME'], ['SET', RATE, '1', 'NX', 'PX', PROBE_TTL_MS], ['GET', RATE]],
  consequence: 'Each replica applies the full rate limits on its own.',
  state: 'warning',
};

const NONCES: RedisUse = {
  what: 'nonces',
  prefix: REPLAY_PREFIX,
  commands: [
    ['SET', NONCE, '1', 'NX', 'PX', PROBE_TTL_MS],
    ['GET', NONCE],
    ['INFO', 'replication'],
  ],
  consequence: 'Callers with a token are rejected, because replays cannot be detected.',
  state: 'fail',
};

const TIMINGS = { replyTimeoutMs: 2000, pauseMs: 0 };

/**
 * Whether Redis responds to this user and permits every command that the configuration needs, by
 * trying each on keys that expire within a second.
 */
async function checkRedis({ redis: options, auth, rateLimits }: Settings): Promise<readonly Outcome[]> {
  if (options === null) return [];
  const { shown } = options.address;
  const needsNonces = auth.mode !== 'off';
  const hasLimits = rateLimits.perCaller !== null || rateLimits.perAccount !== null;
  const redis = await Redis.load({ ...options, timings: TIMINGS });
  try {
    // Connects and authenticates.
    await redis.send([]);
    const issues: Issue[] = [];
    for (const use of [COUNTERS, ...(hasLimits ? [LIMITS] : []), ...(needsNonces ? [NONCES] : [])]) {
      issues.push(...(await tryCommands(redis, use, shown)));
    }
    if (issues.length > 0) return issues;
    if (needsNonces && !(await hasValidStart(redis))) {
      return [
        fail(
          `${shown}: its key ${SINCE_KEY} contains no valid time, or one that is minutes ahead of this machine's clock`,
          'Callers with a token are rejected. Correct the clocks of the replicas, then delete that key.',
        ),
      ];
    }
    const earliest = String(Date.now() - RETENTION_MS);
    const [replicas] = await redis.send([['ZREVRANGEBYSCORE', REPLICAS_KEY, '+inf', earliest]]);
    return [`${shown} responds; replicas with counters: ${Array.isArray(replicas) ? replicas.length : 0}`];
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    const message = `${shown}: ${error.message}`;
    return [
      needsNonces
        ? fail(message, 'Without Redis, callers with a token are rejected, because replays cannot be detected.')
        : warning(
            message,
            'The service starts without Redis, but replicas do not share usage counters and rate limits, and requests that need a budget get 503.',
          ),
    ];
  } finally {
    redis.close();
  }
}

/** Whether Redis has a valid start of its nonces, or none yet: the service sets it then. */
async function hasValidStart(redis: Redis): Promise<boolean> {
  const [reply] = await redis.send([['GET', SINCE_KEY]]);
  return reply === null || readSince(reply, Date.now()) !== null;
}

/** An issue if Redis rejects one of the commands. */
async function tryCommands(
  redis: Redis,
  { what, prefix, commands, consequence, state }: RedisUse,
  shown: string,
): Promise<readonly Issue[]> {
  const replies = await Promise.allSettled(commands.map((command) => redis.send([command])));
  const refused = replies.flatMap((reply, index) =>
    reply.status === 'rejected' ? [{ name: commands[index]?.[0] ?? '', error: reply.reason as RedisError }] : [],
  );
  const [first] = refused;
  if (first === undefined) return [];
  if (first.error.code === null) throw first.error;
  const names = refused.filter(({ error }) => error.code === 'NOPERM').map(({ name }) => name);
  if (names.length === 0) {
    return [{ state, message: `${shown}: ${what} need ${first.name}; ${first.error.message}`, remedy: consequence }];
  }
  const rights = names.map((name) => `+${name.toLowerCase()}`).join(' ');
  return [
    {
      state,
      message: `${shown}: its user lacks permissions for ${what} on keys that begin with ${prefix}: ${names.join(', ')}`,
      remedy: `Grant what is missing: ACL SETUSER NAME ~${prefix}* ${rights} (docs/operators/replicas.md, 'Access to Redis'). ${consequence}`,
    },
  ];
}
