import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { closed, exchange, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const SINGLE = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

function batchOf(items: number): string {
  const each = (_: unknown, index: number) => ({
    requestId: `${index}`,
    platformId: 'alpha',
    accountId: 'main',
    data: DATA_A,
  });
  return JSON.stringify({ requests: Array.from({ length: items }, each) });
}

interface Load {
  readonly inFlight: number;
  readonly queued: number;
  readonly heldBytes: number;
  readonly refused: number;
}

describe('Overload', () => {
  let service: RunningService;
  let sink: DelayingAuditSink;

  /** Permits: four single requests and twelve batch items; queues: two and one. */
  beforeEach(async () => {
    sink = new DelayingAuditSink();
    service = await startService({ adapters: { sink }, maxInFlight: 16, maxQueue: 2 });
  });
  afterEach(async () => {
    mock.timers.reset();
    await sink.close();
    await service.close();
  });

  const post = (path: string, body: string) => exchange(service.port, postBytes(`/api/v1${path}`, body));
  const sign = () => post('/sign', SINGLE);

  async function load(): Promise<Load> {
    return expectData<{ load: Load }>(await request(service.server).get('/api/v1/status')).load;
  }

  /** Waits for this load. */
  async function loaded(inFlight: number, queued: number): Promise<void> {
    const begin = performance.now();
    for (;;) {
      const found = await load();
      if (found.inFlight === inFlight && found.queued === queued) return;
      if (performance.now() - begin > 30_000) expect.fail(`not loaded: ${JSON.stringify(found)}`);
      await sleep(1);
    }
  }

  async function fill(): Promise<readonly ReturnType<typeof sign>[]> {
    const signing = Array.from({ length: 4 }, sign);
    await loaded(4, 0);
    const waiting = Array.from({ length: 2 }, sign);
    await loaded(4, 2);
    return [...signing, ...waiting];
  }

  async function letAllSucceed(until: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    until.then(end, end);
    while (!isOver) {
      while (sink.waiting.length > 0) sink.succeed();
      await sleep(1);
    }
  }

  it('refuses requests beyond permits and queue with OVERLOADED (503) and Retry-After', async () => {
    const accepted = await fill();
    for (const path of ['/sign', '/verify']) {
      const response = await post(path, SINGLE);
      const { details } = expectError(response, 503, 'OVERLOADED');
      expect(details).to.deep.equal({ retryAfterSeconds: 1 });
      expect(response.headers['retry-after']).to.equal('1');
      expect(response.headers['x-correlation-id']).to.match(/^[0-9a-f-]{36}$/);
    }
    const all = Promise.all(accepted);
    await letAllSucceed(all);
    for (const response of await all) expectData(response);
    const later = sign();
    await letAllSucceed(later);
    expectData(await later);
  });

  it('refuses requests before their body has arrived', async () => {
    const accepted = await fill();
    const socket = await openSocket(service.port);
    const head = postBytes('/api/v1/sign', SINGLE).subarray(0, -SINGLE.length);
    const response = readResponse(socket);
    socket.write(head);
    expectError(await response, 503, 'OVERLOADED');
    socket.destroy();
    await letAllSucceed(Promise.all(accepted));
  });

  it('refuses a request after one second in the queue', async () => {
    for (let count = 0; count < 4; count += 1) void sign();
    await loaded(4, 0);
    mock.timers.enable({ apis: ['setTimeout'] });
    const waiting = sign();
    await loaded(4, 1);
    mock.timers.tick(999);
    expect((await load()).queued).to.equal(1);
    mock.timers.tick(1);
    expectError(await waiting, 503, 'OVERLOADED');
  });

  it('is counted, shown in the status and logged once, but not recorded', async () => {
    const accepted = await fill();
    await Promise.all([sign(), sign(), sign()]);
    expect(service.log.events.filter(({ message }) => message.includes('OVERLOADED'))).to.have.length(1);
    expect(await load()).to.deep.include({ inFlight: 4, queued: 2, refused: 3 });
    await letAllSucceed(Promise.all(accepted));
    expect(await load()).to.deep.include({ inFlight: 0, queued: 0, refused: 3 });
    expect(sink.durable.map(({ event, outcome }) => [event, outcome])).to.deep.equal(
      Array.from({ length: 6 }, () => ['sign', 'success']),
    );
  });

  it('from batches never refuses a single request', async () => {
    const batches = Array.from({ length: 10 }, () => post('/sign/batch', batchOf(7)));
    await loaded(7, 1);
    const single = sign();
    await loaded(8, 1);
    const all = Promise.all(batches);
    await letAllSucceed(Promise.all([all, single]));
    expectData(await single);
    const statuses = (await all).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).to.be.at.least(2);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).to.deep.equal([]);
  });

  it('does not refuse a batch with more items than permits', async () => {
    const batch = post('/sign/batch', batchOf(20));
    await loaded(20, 0);
    const single = sign();
    await letAllSucceed(Promise.all([batch, single]));
    expect(expectData(await batch)).to.have.deep.property('summary', { total: 20, successful: 20, failed: 0 });
    expectData(await single);
  });

  it('is not caused by bodies in transit', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => openSocket(service.port)));
    const bytes = postBytes('/api/v1/sign', SINGLE);
    const head = 'POST /api/v1/sign HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const slow = [
      bytes.subarray(0, -10),
      `${head}Transfer-Encoding: chunked\r\n\r\n`,
      `${head}Content-Length: 16384\r\n\r\n{`,
    ];
    for (const [index, socket] of sockets.entries()) socket.write(slow[index % slow.length] ?? '');
    const single = sign();
    await loaded(1, 0);
    await letAllSucceed(single);
    expectData(await single);
    for (const socket of sockets) socket.destroy();
  });

  it('dequeues waiting requests when their callers disconnect', async () => {
    const signing = Array.from({ length: 4 }, sign);
    await loaded(4, 0);
    const sockets = await Promise.all(Array.from({ length: 2 }, () => openSocket(service.port)));
    for (const socket of sockets) socket.write(postBytes('/api/v1/sign', SINGLE));
    await loaded(4, 2);
    for (const socket of sockets) socket.destroy();
    await loaded(4, 0);
    const later = sign();
    await loaded(4, 1);
    await letAllSucceed(Promise.all([...signing, later]));
    expectData(await later);
    expect(sink.durable).to.have.length(5);
    expect((await load()).refused).to.equal(0);
  });

  it('refuses a large body over the memory budget unread, and closes the connection', async () => {
    const length = 1_048_576;
    const head = `POST /api/v1/sign HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(service.port)));
    for (const socket of sockets) socket.write(head);
    while ((await load()).heldBytes < 4 * length) await sleep(1);
    const refused = await openSocket(service.port);
    const response = readResponse(refused);
    refused.write(head);
    expectError(await response, 503, 'OVERLOADED');
    await closed(refused);
    const small = sign();
    await letAllSucceed(small);
    expectData(await small);
    for (const socket of sockets) socket.destroy();
    // Incomplete requests are recorded as malformed.
    const empty = async () => {
      while ((await load()).heldBytes > 0) await sleep(1);
    };
    await letAllSucceed(empty());
  });
});

describe('Work that ends in an unexpected error', () => {
  it('releases its permits, for single requests and batches', async () => {
    const fail = () => Promise.reject(new RangeError('unexpected'));
    const service = await startService({
      maxInFlight: 4,
      maxQueue: 1,
      replace: () => ({ signing: { sign: fail, signAll: fail, verify: fail } }),
    });
    try {
      for (let round = 0; round < 3; round += 1) {
        for (const [path, body] of [
          ['/sign', SINGLE],
          ['/sign/batch', batchOf(3)],
          ['/verify', JSON.stringify({ ...JSON.parse(SINGLE), signature: 'x' })],
        ] as const) {
          const { status } = await exchange(service.port, postBytes(`/api/v1${path}`, body));
          expect(status, path).to.equal(500);
        }
      }
      const { load } = expectData<{ load: Load }>(await request(service.server).get('/api/v1/status'));
      expect(load).to.deep.equal({ inFlight: 0, queued: 0, heldBytes: 0, refused: 0, rateLimited: 0 });
    } finally {
      await service.close();
    }
  });
});
