import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { describeWithRedis } from '../redis/describe-with-redis.ts';
import { RedisServer } from '../redis/redis-server.ts';

const BUDGET = { name: 'daily', accounts: ['my-exchange/*'], sum: 'signed.message.amount', windowSeconds: 86_400 };

/** A workplace with an account whose budget is 100. */
async function prepare(place: Workplace): Promise<void> {
  await place.done('init');
  await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
  await place.prepare('account', 'add', '--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519');
  const credentials = JSON.parse(readFileSync(place.path('credentials.json'), 'utf8'));
  const budgets = [{ ...BUDGET, sum: `decimal(${BUDGET.sum})`, max: 100 }];
  writeFileSync(place.path('credentials.json'), JSON.stringify({ ...credentials, budgets }));
}

const sign = async (service: ServiceProcess, amount: number) => {
  const request = { platformId: 'my-exchange', accountId: 'main', data: { amount } };
  const { status, body } = await service.post('/sign', request);
  return status === 200 ? 'signed' : `${status} ${body.error.code}`;
};

describe('Budgets of a service that ends', function () {
  this.timeout(60_000);
  let place: Workplace;

  beforeEach(async () => {
    place = new Workplace();
    await prepare(place);
  });
  afterEach(() => place.remove());

  it('are kept exactly by a restart', async () => {
    let service = await place.start();
    for (let nth = 0; nth < 5; nth += 1) expect(await sign(service, 10)).to.equal('signed');
    expect(statSync(place.path('audit.jsonl.budgets')).mode & 0o777).to.equal(0o600);
    await service.stop();
    service = await place.start();
    expect(await sign(service, 50.1)).to.equal('403 BUDGET_EXCEEDED');
    expect(await sign(service, 50)).to.equal('signed');
    expect(await sign(service, 0.1)).to.equal('403 BUDGET_EXCEEDED');
  });

  it('are over-counted by a kill -9, by two hundredths of the maximum at most', async () => {
    let service = await place.start();
    for (let nth = 0; nth < 50; nth += 1) expect(await sign(service, 1)).to.equal('signed');
    await service.process.kill();
    service = await place.start();
    expect(await sign(service, 50.1)).to.equal('403 BUDGET_EXCEEDED');
    expect(await sign(service, 48)).to.equal('signed');
  });

  it('refuse everything while their file is damaged, and say so at the start', async () => {
    writeFileSync(place.path('audit.jsonl.budgets'), 'damaged', { mode: 0o600 });
    const service = await place.start();
    while (!service.process.stdout.includes('"level":"error"')) await delay(20);
    expect(service.process.stdout).to.include('audit.jsonl.budgets').and.include('move it to another folder');
    expect(await sign(service, 1)).to.equal('503 BUDGET_UNAVAILABLE');
  });
});

describeWithRedis('Budgets through Redis', () => {
  let place: Workplace;
  let redis: RedisServer;

  before(async function () {
    this.timeout(60_000);
    redis = await RedisServer.start();
    place = new Workplace({ SIGNING_REDIS_URL: redis.url });
    await prepare(place);
  });
  after(async () => {
    await place.remove();
    await redis.remove();
  });

  it('are kept by a kill -9, and refuse everything while Redis is down', async function () {
    this.timeout(60_000);
    let service = await place.start();
    expect(await sign(service, 60)).to.equal('signed');
    await service.process.kill();
    service = await place.start();
    expect(await sign(service, 41)).to.equal('403 BUDGET_EXCEEDED');
    expect(await sign(service, 40)).to.equal('signed');
    await redis.kill();
    expect(await sign(service, 1)).to.equal('503 BUDGET_UNAVAILABLE');
    expect(await sign(service, 0)).to.equal('signed');
  });
});
