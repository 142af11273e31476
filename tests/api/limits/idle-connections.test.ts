import type { Socket } from 'node:net';
import { expect } from 'chai';
import { MAX_CONNECTIONS } from '../../../src/adapters/http/server.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { exchange, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const IDLE = 1000;
const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));

describe('A thousand idle connections', () => {
  let service: RunningService;
  let idle: readonly Socket[];

  before(async () => {
    service = await startService();
    idle = await Promise.all(Array.from({ length: IDLE }, () => openSocket(service.port)));
  });
  after(async () => {
    for (const socket of idle) socket.destroy();
    await service.close();
  });

  it('do not block requests on other connections', async () => {
    for (let request = 0; request < 20; request += 1) expectData(await exchange(service.port, SIGN));
    expect(idle.filter(({ destroyed }) => destroyed)).to.deep.equal([]);
  });

  it('stay usable', async () => {
    for (const socket of idle.slice(0, 20)) {
      const response = readResponse(socket);
      socket.write(SIGN);
      expectData(await response);
    }
  });

  it('stay far below the maximum number of connections', () => {
    expect(service.server.maxConnections).to.equal(MAX_CONNECTIONS);
    expect(MAX_CONNECTIONS).to.be.within(4 * IDLE, 100_000);
  });
});
