import { REPLAY_PREFIX, readSince, SINCE_KEY } from '../../adapters/auth/redis-replay-guard.ts';
import { RATES } from '../../adapters/limits/ledger-kind.ts';
import { createTrialCommand } from '../../adapters/limits/redis-window-ledger.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import { Redis, type RedisCommand, RedisError } from '../../adapters/redis/redis.ts';
import { REPLICAS_KEY, RETENTION_MS, USAGE_PREFIX } from '../../adapters/usage/redis-usage-format.ts';
import type { Settings } from '../settings/settings.ts';

/** A use of Redis by the service. */
export interface RedisRequirement {
  /** Its purpose, in the plural. */
  readonly what: string;
  /** Prefix of its keys. */
  readonly prefix: string;
  /** Commands to try, on doctor's own keys, which expire within a second. */
  readonly commands: readonly RedisCommand[];
  /** Consequence of a missing right: a sentence. */
  readonly consequence: string;
  /** Whether requests are rejected without it. */
  readonly isRequired: boolean;
}

const PROBE_TTL_MS = '1000';

/** What the configured service needs Redis for. */
export function redisRequirements({
  auth,
  rateLimits,
}: Pick<Settings, 'auth' | 'rateLimits'>): readonly RedisRequirement[] {
  const hasLimits = rateLimits.perCaller !== null || rateLimits.perAccount !== null;
  return [COUNTERS, ...(hasLimits ? [LIMITS] : []), ...(auth.mode === 'off' ? [] : [NONCES])];
}

const HASH = `${USAGE_PREFIX}doctor:hash`;
const SORTED = `${USAGE_PREFIX}doctor:sorted`;

const COUNTERS: RedisRequirement = {
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
  isRequired: false,
};

const RATE = `${RATES.prefix}doctor:text`;

const LIMITS: RedisRequirement = {
  what: 'rate limits',
  prefix: RATES.prefix,
  // Commands of the script are tried by themselves, too: some versions hide a missing right behind
  // another error.
  commands: [createTrialCommand(RATES), ['TIME'], ['SET', RATE, '1', 'NX', 'PX', PROBE_TTL_MS], ['GET', RATE]],
  consequence: 'Each replica applies the full rate limits on its own.',
  isRequired: false,
};

const NONCE = `${REPLAY_PREFIX}doctor`;

const NONCES: RedisRequirement = {
  what: 'nonces',
  prefix: REPLAY_PREFIX,
  commands: [
    ['SET', NONCE, '1', 'NX', 'PX', PROBE_TTL_MS],
    ['GET', NONCE],
    ['INFO', 'replication'],
  ],
  consequence: 'Callers with a token are rejected, because replays cannot be detected.',
  isRequired: true,
};

const CHECK = 'redis';
const TIMINGS = { replyTimeoutMs: 2000, pauseMs: 0 };

/**
 * Checks that Redis responds to this user and permits every command that the configuration needs,
 * by trying each on keys that expire within a second.
 */
export async function checkRedis(
  settings: Pick<Settings, 'redis' | 'auth' | 'rateLimits'>,
): Promise<readonly Finding[]> {
  const { redis: options, auth } = settings;
  if (options === null) return [];
  const { shown } = options.address;
  const redis = await Redis.load({ ...options, timings: TIMINGS });
  try {
    // Connects and authenticates.
    await redis.send([]);
    const findings: Finding[] = [];
    for (const requirement of redisRequirements(settings))
      findings.push(...(await tryCommands(redis, requirement, shown)));
    if (findings.length > 0) return findings;
    if (auth.mode !== 'off' && !(await hasValidStart(redis))) return [invalidStart(shown)];
    const earliest = String(Date.now() - RETENTION_MS);
    const [replicas] = await redis.send([['ZREVRANGEBYSCORE', REPLICAS_KEY, '+inf', earliest]]);
    return [ok(CHECK, `${shown} responds; replicas with counters: ${Array.isArray(replicas) ? replicas.length : 0}`)];
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    const message = `${shown}: ${error.message}`;
    if (auth.mode !== 'off') {
      return [
        fail(CHECK, message, 'Without Redis, callers with a token are rejected, because replays cannot be detected.'),
      ];
    }
    return [
      warning(
        CHECK,
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

function invalidStart(shown: string): Finding {
  const message = `${shown}: its key ${SINCE_KEY} contains no valid time, or one that is minutes ahead of this machine's clock`;
  const remedy = 'Callers with a token are rejected. Correct the clocks of the replicas, then delete that key.';
  return fail(CHECK, message, remedy);
}

/** A finding if Redis rejects one of the commands. */
async function tryCommands(
  redis: Redis,
  { what, prefix, commands, consequence, isRequired }: RedisRequirement,
  shown: string,
): Promise<readonly Finding[]> {
  const replies = await Promise.allSettled(commands.map((command) => redis.send([command])));
  const refused = commands.flatMap(([name], index) => {
    const reply = replies[index];
    return reply?.status === 'rejected' ? [{ name, error: reply.reason as RedisError }] : [];
  });
  const [first] = refused;
  if (first === undefined) return [];
  if (first.error.code === null) throw first.error;
  const finding = isRequired ? fail : warning;
  const names = refused.filter(({ error }) => error.code === 'NOPERM').map(({ name }) => name);
  if (names.length === 0) {
    return [finding(CHECK, `${shown}: ${what} need ${first.name}; ${first.error.message}`, consequence)];
  }
  const rights = names.map((name) => `+${name.toLowerCase()}`).join(' ');
  return [
    finding(
      CHECK,
      `${shown}: its user lacks permissions for ${what} on keys that begin with ${prefix}: ${names.join(', ')}`,
      `Grant what is missing: ACL SETUSER NAME ~${prefix}* ${rights} (docs/operators/replicas.md, 'Access to Redis'). ${consequence}`,
    ),
  ];
}
