import { expect } from 'chai';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { closed, collect, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));
const STATUS = 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Longer than the test timeout. */
const LONG = 60_000;

describe('A graceful stop', () => {
  let audit: DelayingAuditSink;
  const service = useNewService(() => {
    audit = new DelayingAuditSink();
    return startService({ adapters: { sink: audit } });
  });

  async function inFlight(count: number): Promise<void> {
    while (audit.waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  it('completes the request in flight with Connection: close, and closes its connection', async () => {
    const socket = await openSocket(service.port);
    const response = readResponse(socket);
    socket.write(SIGN);
    await inFlight(1);
    const stopped = service.stoppable.stop(LONG);
    audit.succeed();
    expect(expectData(await response)).to.have.property('signature');
    expect((await response).headers['connection']).to.equal('close');
    await closed(socket);
    expect(await stopped).to.equal(true);
  });

  it('completes a request that is still being sent', async () => {
    const socket = await openSocket(service.port);
    const response = readResponse(socket);
    const seen = new Promise((resolve) => service.server.once('request', resolve));
    socket.write(SIGN.subarray(0, -5));
    await seen;
    const stopped = service.stoppable.stop(LONG);
    socket.write(SIGN.subarray(-5));
    await inFlight(1);
    audit.succeed();
    expectData(await response);
    expect(await stopped).to.equal(true);
  });

  it('closes idle connections at once, used or not', async () => {
    const used = await openSocket(service.port);
    used.write(STATUS);
    const { headers } = await readResponse(used);
    expect(headers['connection']).to.equal('keep-alive');
    const unused = await openSocket(service.port);
    const begun = await openSocket(service.port);
    begun.write('POST /api/v1/sign HTTP/1.1\r\nHo');
    const stopped = service.stoppable.stop(LONG);
    await Promise.all([closed(used), closed(unused), closed(begun)]);
    expect(await stopped).to.equal(true);
  });

  it('completes a response that is read slowly, and closes its connection', async () => {
    const path = 'x'.repeat(20_000_000);
    await restartAs(
      service,
      startService({
        replace: () => ({ source: { location: path } }),
      }),
    );
    const socket = await openSocket(service.port);
    const seen = new Promise((resolve) => service.server.once('request', resolve));
    socket.pause();
    socket.write(STATUS);
    await seen;
    const stopped = service.stoppable.stop(LONG);
    let length = 0;
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    await closed(socket);
    expect(length).to.be.greaterThan(path.length);
    expect(await stopped).to.equal(true);
  });

  it('closes each connection after its next response while draining, and accepts new ones', async () => {
    const used = await openSocket(service.port);
    used.write(STATUS);
    expect((await readResponse(used)).headers['connection']).to.equal('keep-alive');
    const waiting = await openSocket(service.port);
    const awaited = readResponse(waiting);
    waiting.write(SIGN);
    await inFlight(1);

    service.stoppable.drain();
    used.removeAllListeners('data');
    const late = await openSocket(service.port);
    for (const socket of [used, late]) {
      socket.write(STATUS);
      const response = await readResponse(socket);
      expectData(response);
      expect(response.headers['connection']).to.equal('close');
      await closed(socket);
    }
    audit.succeed();
    expectData(await awaited);
    expect((await awaited).headers['connection']).to.equal('close');
    await closed(waiting);
  });

  it('closes the remaining connections after the timeout, and reports it', async () => {
    const socket = await openSocket(service.port);
    const received = collect(socket);
    socket.write(SIGN);
    await inFlight(1);
    expect(await service.stoppable.stop(20)).to.equal(false);
    await closed(socket);
    expect(received()).to.equal('');
  });
});
