import { cpSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { freePort } from '../programs/free-port.ts';
import { describeWithRedis } from '../redis/describe-with-redis.ts';
import { RedisServer } from '../redis/redis-server.ts';
import { until } from '../redis/until.ts';

const PASSWORD = 'correct-h0rse';
const SINGLE = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

describeWithRedis('Two replicas with one Redis', () => {
  const [one, two] = [new Workplace(), new Workplace()];
  let redis: RedisServer;

  before(async () => {
    const { certFile, keyFile } = TEST_CERTIFICATE;
    const tlsPort = await freePort();
    redis = await RedisServer.start([
      ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', '--tls-ca-cert-file', certFile],
      ...['--tls-cert-file', certFile, '--tls-key-file', keyFile],
    ]);
    await redis.command('ACL', 'SETUSER', 'signing', 'on', `>${PASSWORD}`, '~signing-service:*', '+@all');
    await one.prepare('init');
    await one.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await one.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    writeFileSync(one.path('redis-password'), `${PASSWORD}\n`, { mode: 0o600 });
    cpSync(one.folder, two.folder, { recursive: true });
    for (const [name, place] of Object.entries({ one, two })) {
      Object.assign(place.environment, {
        SIGNING_INSTANCE_ID: name,
        // The total of both replicas.
        SIGNING_RATE_LIMIT_PER_ACCOUNT: '7',
        SIGNING_RATE_LIMIT_WINDOW_SECONDS: '86400',
        SIGNING_REDIS_URL: `rediss://signing@127.0.0.1:${tlsPort}/0`,
        SIGNING_REDIS_PASSWORD_FILE: place.path('redis-password'),
        NODE_EXTRA_CA_CERTS: certFile,
      });
    }
  });
  after(async () => {
    await Promise.all([one.remove(), two.remove()]);
    await redis.remove();
  });

  const sign = async (service: ServiceProcess, times: number) => {
    for (let i = 0; i < times; i += 1) expect((await service.post('/sign', SINGLE)).status).to.equal(200);
  };
  const signsAre = (count: number, ...services: readonly ServiceProcess[]) =>
    until(async () => {
      for (const service of services) {
        const { body: accounts } = await service.get('/accounts');
        expect(accounts.data.accounts[0].usage.totalSigns).to.equal(count);
        const { body: status } = await service.get('/status');
        expect(status.data.performance.totalSigns).to.equal(count);
        expect(status.data.usage).to.include({ shared: true, replicas: 2 });
      }
    });

  it('share usage and a rate limit over TLS with a password file, even after a kill and restart', async () => {
    const [killed, second] = await Promise.all([one.start(), two.start()]);
    await Promise.all([sign(killed, 3), sign(second, 2)]);
    await signsAre(5, killed, second);
    expect((await second.get('/status')).body.data.usage).to.include({ state: 'current', behindSince: null });

    await sign(killed, 1);
    await Promise.all([killed.process.kill(), sign(second, 1)]);
    const first = await one.start();
    expect((await first.get('/accounts')).body.data.accounts[0].usage.totalSigns).to.be.at.least(4);
    await signsAre(7, first, second);

    for (const service of [first, second]) {
      const { status, body } = await service.post('/sign', SINGLE);
      expect([status, body.error?.code]).to.deep.equal([429, 'RATE_LIMITED']);
      expect((await service.get('/status')).body.data.rateLimits).to.include({ shared: true, state: 'current' });
    }

    for (const service of [first, second]) {
      await until(async () => expect((await service.get('/status')).body.data.usage.state).to.equal('current'));
    }

    for (const service of [first, second]) {
      const { exitCode, stdout, stderr } = await service.stop();
      expect(exitCode, stderr).to.equal(0);
      expect(stdout).to.include('"message":"Usage counters are shared."').and.not.include('h0rse');
      expect(stdout).not.to.match(/"level":"(?:warn|error)"[^\n]*usage counters/);
    }
  });
});
