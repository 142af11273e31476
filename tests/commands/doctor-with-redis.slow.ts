import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { describeWithRedis } from '../redis/describe-with-redis.ts';
import { RedisServer } from '../redis/redis-server.ts';

/** Exit with only Redis configured: other checks fail. */
const FAILED = 2;

describeWithRedis('signing-service doctor, as a process of its own, with SIGNING_REDIS_URL', () => {
  let redis: RedisServer;
  let place: Workplace;

  before(async () => {
    redis = await RedisServer.start();
  });
  after(() => redis.remove());
  beforeEach(() => {
    place = new Workplace({ SIGNING_REDIS_URL: redis.url });
  });
  afterEach(() => place.remove());

  /** Findings about Redis; checks that the whole report was printed. */
  async function findings(): Promise<readonly { readonly check: string; readonly state: string; message: string }[]> {
    const { stdout, stderr, exitCode } = await place.command('doctor', '--json');
    expect({ stderr, exitCode }).to.deep.equal({ stderr: '', exitCode: FAILED });
    return JSON.parse(stdout).findings.filter(({ check }: { check: string }) => check === 'redis');
  }

  it('reports ok if Redis responds', async () => {
    const [finding, ...more] = await findings();
    expect(finding).to.include({ check: 'redis', state: 'ok' });
    expect(finding?.message).to.include(' responds');
    expect(more).to.deep.equal([]);
  });

  it('reports a warning if Redis accepts the connection but does not respond', async () => {
    redis.pause();
    try {
      const [finding] = await findings();
      expect(finding).to.include({ state: 'warning' });
      expect(finding?.message).to.include('no reply within 2000 ms');
    } finally {
      redis.goOn();
    }
  });
});
