import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { closed, exchange, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const WAITING = 4;
const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));

interface Load {
  readonly inFlight: number;
  readonly queued: number;
  readonly heldBytes: number;
}

describe('Pipelined requests on a connection that breaks', () => {
  let service: RunningService;
  let sink: DelayingAuditSink;

  beforeEach(async () => {
    sink = new DelayingAuditSink();
    service = await startService({ adapters: { sink } });
  });
  afterEach(async () => {
    await sink.close();
    await service.close();
  });

  async function loaded(isReached: (load: Load) => boolean): Promise<void> {
    const begin = performance.now();
    for (;;) {
      const { load } = expectData<{ load: Load }>(await request(service.server).get('/api/v1/status'));
      if (isReached(load)) return;
      if (performance.now() - begin > 30_000) expect.fail(JSON.stringify(load));
      await sleep(2);
    }
  }

  it('are never handled or logged after the one in flight, and release their memory', async () => {
    const accepted = once(service.server, 'connection');
    const socket = await openSocket(service.port);
    const [connection] = await accepted;
    socket.write(Buffer.concat(Array.from({ length: 1 + WAITING }, () => SIGN)));
    await loaded(({ inFlight, heldBytes }) => inFlight === 1 && heldBytes > 0);
    const isClosed = closed(connection);
    socket.resetAndDestroy();
    // Before the record and the response.
    await isClosed;
    while (sink.waiting.length > 0) sink.succeed();
    await loaded(({ inFlight, queued, heldBytes }) => inFlight + queued + heldBytes === 0);
    expect(sink.durable).to.have.lengthOf(1);
    const cutOff = service.log.events.filter(({ message }) => message.includes('before the response was sent'));
    expect(cutOff).to.have.lengthOf(1);
  });
});

describe('A thousand idle connections', () => {
  it('block no request on another connection, and stay usable', async () => {
    const service = await startService();
    const idle: Socket[] = [];
    // Fewer at a time than the backlog of 511, beyond which the kernel retries after a second.
    while (idle.length < 1000) {
      idle.push(...(await Promise.all(Array.from({ length: 250 }, () => openSocket(service.port)))));
    }
    for (let request = 0; request < 20; request += 1) expectData(await exchange(service.port, SIGN));
    expect(idle.filter(({ destroyed }) => destroyed)).to.deep.equal([]);
    for (const socket of idle.slice(0, 20)) {
      const response = readResponse(socket);
      socket.write(SIGN);
      expectData(await response);
    }
    for (const socket of idle) socket.destroy();
    await service.close();
  });
});
