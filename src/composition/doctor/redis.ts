import { loadRedisClient, RedisConnection } from '../../adapters/driven/usage-ledger/redis/redis-connection.ts';
import { RedisFault } from '../../adapters/driven/usage-ledger/redis/redis-fault.ts';
import { readCredentials } from '../../adapters/driven/usage-ledger/redis/redis-password.ts';
import { INDEX_KEY } from '../../adapters/driven/usage-ledger/redis/shared-counters.ts';
import { type Finding, ok, warning } from '../../machine/finding.ts';
import type { Settings } from '../settings.ts';

const CHECK = 'redis';
const ANSWER_MS = 2000;

/** Whether the Redis that replicas share their counters through answers, to this user and password. Nothing is written; without it the service starts and signs. */
export async function checkRedis({ redis }: Pick<Settings, 'redis'>): Promise<readonly Finding[]> {
  if (redis === null) return [];
  const { address, passwordFile } = redis;
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
    return [
      warning(
        CHECK,
        `${address.shown}: ${error.message}`,
        'The service starts and signs without it; the usage counters of its replicas are not added up meanwhile.',
      ),
    ];
  }
}
