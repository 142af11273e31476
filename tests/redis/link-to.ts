import { Redis } from '../../src/adapters/redis/redis.ts';
import { parseRedisUrl } from '../../src/adapters/redis/redis-address.ts';
import type { FixedClock } from '../doubles/fixed-clock.ts';

type Options = Parameters<typeof Redis.load>[0];

export async function linkTo(url: string, more: Partial<Options> = {}): Promise<Redis> {
  const address = parseRedisUrl(url);
  if (address === null) throw new Error(`${url} is none.`);
  return Redis.load({ address, passwordFile: null, ...more });
}

/** A link to a Redis with a test clock for scripts; keys expire in real time. */
export function atTime(link: Redis, time: FixedClock): Pick<Redis, 'send' | 'isClosed' | 'pauseMs'> {
  return {
    pauseMs: link.pauseMs,
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
