import { expect } from 'chai';
import request from 'supertest';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import type { RecordedLogEvent } from '../../doubles/recording-service-log.ts';
import { openSocket, postBytes } from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

describe('The service log', () => {
  let audit: MemoryAuditSink;
  const service = useNewService(() => {
    audit = new MemoryAuditSink();
    return startService({ adapters: { sink: audit } });
  });

  async function lines(count: number): Promise<readonly RecordedLogEvent[]> {
    const infos = () => service.log.events.filter(({ level, facts }) => level === 'info' && 'route' in facts);
    while (infos().length < count) await new Promise((resolve) => setTimeout(resolve, 2));
    return infos();
  }

  it('has one line per request: method, route, status, duration, address and correlation id', async () => {
    const response = await request(service.server).get('/api/v1/accounts?platform=alpha');
    const [line, ...others] = await lines(1);
    expect(others).to.have.lengthOf(0);
    const { durationMs, ...facts } = line?.facts ?? {};
    expect(facts).to.deep.equal({
      method: 'GET',
      route: '/api/v1/accounts',
      status: 200,
      remoteAddress: '127.0.0.1',
      correlationId: response.headers['x-correlation-id'],
    });
    expect(durationMs).to.be.a('number').that.is.at.least(0);
  });

  it('uses the request id of the caller in response, log and audit record, with its trace', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const response = await request(service.server)
      .post('/api/v1/sign')
      .set({ 'X-Request-Id': 'order-17', traceparent })
      .send({ platformId: 'alpha', accountId: 'main', data: DATA_A });
    expect(response.headers).to.include({ 'x-request-id': 'order-17', 'x-correlation-id': 'order-17' });
    const [line] = await lines(1);
    expect(line?.facts).to.include({ route: '/api/v1/sign', status: 200, correlationId: 'order-17', traceparent });
    const signed = audit.entries.filter(({ event }) => event === 'sign');
    expect(signed.map(({ correlationId, traceparent: recorded }) => [correlationId, recorded])).to.deep.equal([
      ['order-17', traceparent],
    ]);
  });

  it('does not repeat malformed request ids and traces', async () => {
    const canary = 'canary 7c1f';
    const response = await request(service.server)
      .post('/api/v1/sign')
      .set({ 'X-Request-Id': canary, traceparent: canary })
      .send({ platformId: 'alpha', accountId: 'main', data: DATA_A });
    expect(response.headers['x-request-id'])
      .to.match(/^[0-9a-f-]{36}$/)
      .and.equal(response.headers['x-correlation-id']);
    const [line] = await lines(1);
    expect(line?.facts).to.include({ correlationId: response.headers['x-request-id'] });
    expect(JSON.stringify([service.log.events, audit.entries])).not.to.include('canary');
  });

  it('has route and error code of a refused request, but never an unknown path', async () => {
    await request(service.server).get('/api/v1/sign');
    await request(service.server).get('/api/v1/canary-path?canary-query=1');
    await request(service.server).get('/api/v1/accounts/%zz/canary');
    const facts = (await lines(3)).map((line) => [line.facts['route'], line.facts['status'], line.facts['errorCode']]);
    expect(facts).to.deep.equal([
      ['/api/v1/sign', 405, 'METHOD_NOT_ALLOWED'],
      ['(none)', 404, 'NOT_FOUND'],
      ['(none)', 404, 'NOT_FOUND'],
    ]);
  });

  describe('with SIGNING_LOG_REQUESTS=false', () => {
    const sign = (accountId: string) =>
      request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });
    const facts = () => service.log.events.map(({ facts: logged }) => logged);

    it('has no line for a request that the service handled', async () => {
      await restartAs(service, startService({ logRequests: false }));
      await sign('main');
      await sign('nobody');
      await request(service.server).get('/nowhere');
      await request(service.server).get('/readyz');
      await service.close();
      expect(service.log.events).to.deep.equal([]);
    });

    it('has one line a minute for responses with a status from 500, and all other warnings', async () => {
      await restartAs(service, startService({ adapters: { sink: new FailingAuditSink() }, logRequests: false }));
      for (let nth = 0; nth < 20; nth += 1) await sign('main');
      await lines(1);
      const [warning, line, ...others] = service.log.events;
      expect(others).to.deep.equal([]);
      expect(warning).to.include({ level: 'error' });
      expect(warning?.message).to.include('Audit records could not be written');
      expect(line).to.include({ level: 'info', message: 'Request completed.' });
      expect(facts()[1]).to.include({ count: 1, route: '/api/v1/sign', status: 500, errorCode: 'SIGNATURE_FAILED' });
    });
  });

  it('has no status for a request whose caller disconnects before the response', async () => {
    const delaying = new DelayingAuditSink();
    await restartAs(service, startService({ adapters: { sink: delaying } }));
    const socket = await openSocket(service.port);
    socket.write(postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A })));
    while (delaying.waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    socket.destroy();
    const [line] = await lines(1);
    expect(line?.message).to.include('before the response was sent');
    expect(line?.facts).to.include({ route: '/api/v1/sign', status: null });
    delaying.succeed();
  });
});
