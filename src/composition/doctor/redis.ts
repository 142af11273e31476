import { INDEX_KEY } from '../../adapters/driven/usage-ledger/redis/shared-counters.ts';
import { type Finding, fail, ok, warning } from '../../machine/finding.ts';
import { loadRedisClient, RedisConnection } from '../../redis/redis-connection.ts';
import { RedisFault } from '../../redis/redis-fault.ts';
import { readCredentials } from '../../redis/redis-password.ts';
import type { Settings } from '../settings.ts';

const CHECK = 'redis';
const ANSWER_MS = 2000;

/** Whether the Redis that replicas share their counters and rate limits through answers, to this user and password. Nothing is written. Without it the service starts, and signs unless it asks callers who they are. */
export async function checkRedis({ redis, auth }: Pick<Settings, 'redis' | 'auth'>): Promise<readonly Finding[]> {
  if (redis === null) return [];
  const { address, passwordFile } = redis;
  // What speaks to Redis keeps no process alive, and while this waits for it nothing else does: the command would end in the middle, having printed nothing.
  const alive = setInterval(() => undefined, ANSWER_MS);
  try {
    const credentials = await readCredentials(address, passwordFile);
    const connection = await RedisConnection.open(await loadRedisClient(), address, credentials, ANSWER_MS);
    try {
      const [count] = await connection.send([['HLEN', INDEX_KEY]]);
      return [ok(CHECK, `${address.shown} answers; replicas that it has counters of: ${Number(count)}`)];
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
