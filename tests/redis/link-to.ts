import { parseRedisUrl } from '../../src/adapters/redis/redis-address.ts';
import { loadRedisClient } from '../../src/adapters/redis/redis-connection.ts';
import { RedisLink } from '../../src/adapters/redis/redis-link.ts';
import type { FixedClock } from '../doubles/fixed-clock.ts';

type Options = ConstructorParameters<typeof RedisLink>[0];

export async function linkTo(url: string, more: Pick<Options, 'timings'> = {}): Promise<RedisLink> {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error(`${url} is none.`);
  return new RedisLink({ address, passwordFile: null, library: await loadRedisClient(), ...more });
}

/** A link to a Redis with a test clock for scripts; keys expire in real time. */
export function atTime(link: RedisLink, time: FixedClock): Pick<RedisLink, 'send' | 'isClosed'> {
  return {
    get isClosed() {
      return link.isClosed;
    },
    send: (commands) => {
      const microseconds = time.now() * 1000;
      const now = `{'${Math.floor(microseconds / 1e6)}', '${microseconds % 1e6}'}`;
      return link.send(
        commands.map(([name, script = '', ...rest]) => {
          return [name, script.replace("redis.call('TIME')", now), ...rest] as const;
        }),
      );
    },
  };
}
