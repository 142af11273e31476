import { readSince, SINCE_KEY } from '../../adapters/driven/replay-guard/redis-replay-guard.ts';
import { KEPT_MS, REPLICAS_KEY } from '../../adapters/driven/usage-ledger/redis-usage-format.ts';
import { type Finding, fail, ok, warning } from '../../machine/finding.ts';
import { loadRedisClient, type RedisCommands, RedisConnection } from '../../redis/redis-connection.ts';
import { RedisFault } from '../../redis/redis-fault.ts';
import { readCredentials } from '../../redis/redis-password.ts';
import type { Settings } from '../settings.ts';
import { type RedisNeed, redisNeeds } from './redis-needs.ts';

const CHECK = 'redis';
const ANSWER_MS = 2000;

/**
 * Whether the Redis that replicas share their counters, rate limits and nonces through answers, to this user and password, and lets them do what the configuration needs: each command is tried, on keys that
 * end within a second. Without it the service starts, and signs unless it asks callers who they are.
 */
export async function checkRedis(
  settings: Pick<Settings, 'redis' | 'auth' | 'rateLimits'>,
): Promise<readonly Finding[]> {
  const { redis, auth } = settings;
  if (redis === null) return [];
  const { address, passwordFile } = redis;
  // What speaks to Redis keeps no process alive, and while this waits for it nothing else does: the command would end in the middle, having printed nothing.
  const alive = setInterval(() => undefined, ANSWER_MS);
  try {
    const credentials = await readCredentials(address, passwordFile);
    const connection = await RedisConnection.open(await loadRedisClient(), address, credentials, ANSWER_MS);
    try {
      const unmet: Finding[] = [];
      for (const need of redisNeeds(settings)) unmet.push(...(await tryNeed(connection, need, address.shown)));
      if (unmet.length > 0) return unmet;
      if (auth.mode !== 'off' && !(await knowsSince(connection))) return [wrongSince(address.shown)];
      const earliest = String(Date.now() - KEPT_MS);
      const { length } = await connection.askForList(['ZRANGEBYSCORE', REPLICAS_KEY, earliest, '+inf']);
      return [ok(CHECK, `${address.shown} answers; replicas that it has counters of: ${length}`)];
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!(error instanceof RedisFault)) throw error;
    const message = `${address.shown}: ${error.message}`;
    if (auth.mode !== 'off') {
      return [
        fail(
          CHECK,
          message,
          'Without it no caller with a token is served: whether a request came before is asked there.',
        ),
      ];
    }
    return [
      warning(
        CHECK,
        message,
        'The service starts and signs without it; the usage counters of its replicas are not added up meanwhile, and rate limits not shared.',
      ),
    ];
  } finally {
    clearInterval(alive);
  }
}

/** Whether Redis says since when it has all nonces, or was never asked to: then the service tells it. */
async function knowsSince(connection: RedisCommands): Promise<boolean> {
  const [reply] = await connection.ask([['GET', SINCE_KEY]]);
  return reply === null || (!(reply instanceof RedisFault) && readSince(reply, Date.now()) !== null);
}

function wrongSince(shown: string): Finding {
  const message = `${shown}: its key ${SINCE_KEY} holds no time of this service, or one that is minutes ahead of this machine's clock`;
  const remedy = 'No caller with a token is served. Put the clocks of the replicas right, then delete that key.';
  return fail(CHECK, message, remedy);
}

/** A finding where Redis refuses one of its commands; none otherwise. */
async function tryNeed(
  connection: RedisCommands,
  { what, prefix, commands, otherwise, isVital }: RedisNeed,
  shown: string,
): Promise<readonly Finding[]> {
  const replies = await connection.ask(commands);
  const refused = commands.flatMap(([name], index) => {
    const reply = replies[index];
    return reply instanceof RedisFault ? [{ name, fault: reply }] : [];
  });
  const [first] = refused;
  if (first === undefined) return [];
  const finding = isVital ? fail : warning;
  const names = refused.filter(({ fault }) => fault.code === 'NOPERM').map(({ name }) => name);
  if (names.length === 0) {
    return [finding(CHECK, `${shown}: ${what} need ${first.name}; ${first.fault.message}`, otherwise)];
  }
  const rights = names.map((name) => `+${name.toLowerCase()}`).join(' ');
  return [
    finding(
      CHECK,
      `${shown}: its user may not do what ${what} need, with keys that begin with ${prefix}: ${names.join(', ')}`,
      `Give its user what of this it does not have: ACL SETUSER NAME ~${prefix}* ${rights} (docs/OPERATIONS.md, 'Several replicas'). ${otherwise}`,
    ),
  ];
}
