import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../ports/clock.ts';
import type { ReplayClaim, ReplayGuard, ReplayKey } from '../../../ports/replay-guard.ts';
import { connectionFault, RedisFault } from '../../../redis/redis-fault.ts';
import type { RedisLink } from '../../../redis/redis-link.ts';
import type { ReplayReport } from './replay-report.ts';

/** What the keys in Redis begin with. */
export const REPLAY_PREFIX = 'signing-service:replay:';

/** How much longer keys are kept: the clock of another replica may be so much behind this one's. Milliseconds. */
const MARGIN_MS = 60_000;

/** How long a key is kept that was only set to see that it can be, milliseconds. */
const PROBE_MS = 1000;

/** What a {@link RedisReplayGuard} works with. */
export interface RedisReplayGuardParts {
  readonly link: Pick<RedisLink, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly report: Pick<ReplayReport, 'failed' | 'answered'>;
}

/**
 * A ReplayGuard that replicas share: what one has seen, all have. One `SET NX PX` a claim, which Redis carries out for one of all who send it. Where Redis does not answer, nothing is `new`.
 */
export class RedisReplayGuard implements ReplayGuard {
  readonly #parts: RedisReplayGuardParts;

  constructor(parts: RedisReplayGuardParts) {
    this.#parts = parts;
  }

  async claim({ key, until }: ReplayKey): Promise<ReplayClaim> {
    const keepMs = Math.max(0, Math.ceil(until - this.#parts.clock.now())) + MARGIN_MS;
    const isNew = await this.#set(Buffer.from(key).toString('base64url'), keepMs);
    if (isNew instanceof RedisFault) return 'unavailable';
    return isNew ? 'new' : 'seen';
  }

  async fault(): Promise<string | null> {
    const isNew = await this.#set(`probe:${randomBytes(16).toString('base64url')}`, PROBE_MS);
    return isNew instanceof RedisFault ? `Redis, which replicas share nonces through: ${isNew.message}.` : null;
  }

  async #set(name: string, keepMs: number): Promise<boolean | RedisFault> {
    const { link, report } = this.#parts;
    try {
      const [reply] = await link.send([['SET', `${REPLAY_PREFIX}${name}`, '1', 'NX', 'PX', String(keepMs)]]);
      report.answered();
      return reply === 'OK';
    } catch (error) {
      const fault = connectionFault(error);
      report.failed(fault);
      return fault;
    }
  }
}
