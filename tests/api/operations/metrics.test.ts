import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { MemoryUsageLedger } from '../../../src/adapters/usage/memory-usage-ledger.ts';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { exchange, startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { openSocket, postBytes } from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** `Accept` of Prometheus 2.5x and 3. */
const PROMETHEUS_ACCEPT =
  'application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

describe('GET /metrics', () => {
  let service: RunningService;

  async function start(parts: ServiceParts = {}): Promise<void> {
    service = await startService(parts);
  }
  afterEach(() => service.close());

  const get = (path = '/metrics') => request(service.server).get(path);
  const ended = async () => {
    // The response closes one tick later.
    await nextTurn();
    return service.metrics.requests;
  };

  it("responds in Prometheus' text format, and in OpenMetrics if preferred", async () => {
    await start();
    for (const [accept, contentType] of [
      [PROMETHEUS_ACCEPT, OPEN],
      ['application/openmetrics-text;q=0.2, text/plain', TEXT],
      ['application/openmetrics-text;version=2.0.0', TEXT],
      ['', TEXT],
    ] as const) {
      const { status, headers, text } = await get().set('Accept', accept);
      expect([status, headers['content-type']], accept).to.deep.equal([200, contentType]);
      expect(headers['cache-control']).to.equal('no-store');
      expect(text.split('\n')[0], accept).to.equal(contentType === OPEN ? 'openmetrics' : 'text');
    }
  });

  it('renders no page for HEAD', async () => {
    await start();
    await request(service.server).head('/metrics').expect(200);
    expect(service.metrics.pages).to.deep.equal([]);
  });

  it('is logged only if it fails', async () => {
    await start();
    await get();
    await request(service.server).post('/metrics');
    await ended();
    const lines = service.log.events.filter(({ message }) => message === 'Request completed.');
    expect(lines.map(({ facts }) => [facts['method'], facts['route'], facts['status']])).to.deep.equal([
      ['POST', '/metrics', 405],
    ]);
  });

  it('requires the status permission, and records refusals', async () => {
    await start({
      permissions: [
        { principals: ['monitor'], operations: ['status'] },
        { principals: ['bot'], operations: ['sign'], accounts: ['*/*'] },
      ],
      replace: () => ({ callerChecks: [identify] }),
    });
    expect((await get().set(CALLER, 'monitor')).status).to.equal(200);
    for (const method of ['get', 'head'] as const) {
      const refused = await request(service.server)[method]('/metrics').set(CALLER, 'bot');
      expect(refused.status, method).to.equal(403);
    }
    const refused = await get().set(CALLER, 'bot');
    const { details } = expectError(refused, 403, 'FORBIDDEN');
    expect(details).to.deep.equal({ operation: 'status', principal: 'bot', reason: 'PERMISSION_DENIED' });
    expect(service.records.entries.at(-1)).to.deep.include({
      event: 'status',
      outcome: 'refused',
      errorCode: 'FORBIDDEN',
      principal: 'bot',
    });
  });

  it('authenticates callers as other routes do, and signs its response', async () => {
    service = await startAuthenticatedService();
    const unknown = await get();
    expect(unknown.status).to.equal(401);
    const { status, text, issue } = await exchange(service, { target: '/metrics' });
    expect([status, issue]).to.deep.equal([200, null]);
    expect(text).to.match(/^text\n/);
  });

  it('shows the load, as the status does', async () => {
    await start({ maxInFlight: 44, maxQueue: 33, perCaller: { points: 22, windowSeconds: 11 } });
    await get();
    expect(service.metrics.pages[0]).to.include({
      ...{ signing_in_flight_signatures_limit: 44, signing_queued_requests_limit: 33 },
      ...{ 'signing_rate_limit_points caller': 22, signing_rate_limit_window_seconds: 11 },
    });
  });

  it('reports pending, durable and abandoned records, and whether the service is healthy and ready', async () => {
    const sink = new DelayingAuditSink(new MemoryUsageLedger());
    await start({ adapters: { sink } });
    const body = { platformId: 'alpha', accountId: 'main', data: DATA_A };
    const signing = [1, 2].map(() => request(service.server).post('/api/v1/sign').send(body).then());
    while (sink.queued < 2) await nextTurn();
    const read = async (...series: readonly string[]) => {
      await get();
      return series.map((name) => service.metrics.pages.at(-1)?.[name]);
    };
    const records = [
      'signing_audit_queued_records',
      'signing_audit_head_sequence',
      'signing_unrecorded_attempts_total',
    ];
    expect(await read(...records)).to.deep.equal([2, 0, 0]);
    sink.succeed();
    sink.fail();
    await Promise.all(signing);
    expect(await read(...records)).to.deep.equal([0, 1, 1]);
    const health = ['signing_healthy', 'signing_ready', 'signing_ready_check audit'];
    expect(await read(...health)).to.deep.equal([1, 1, 1]);
    await sink.close();
    expect(await read(...health)).to.deep.equal([0, 0, 0]);
  });

  it('renders two pages at a time, queues 16 and refuses the rest', async () => {
    let release = () => {};
    const hanging = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    await start();
    service.metrics.page = async () => {
      begun += 1;
      await hanging;
      return [];
    };
    const url = `http://127.0.0.1:${service.port}/metrics`;
    const statuses: number[] = [];
    const pending = Array.from({ length: 25 }, () => fetch(url).then(({ status }) => statuses.push(status)));
    // Two run and sixteen wait; the rest is refused at once.
    while (statuses.length < 7) await sleep(2);
    expect([begun, statuses]).to.deep.equal([2, Array(7).fill(503)]);
    release();
    await Promise.all(pending);
    expect(statuses.slice(7)).to.deep.equal(Array(18).fill(200));
  });
});

describe('Every HTTP request', () => {
  const service = useNewService(() => startService({ perCaller: { points: 2, windowSeconds: 60 } }));

  const SIGN = { platformId: 'alpha', accountId: 'main', data: DATA_A };

  async function countRequest(call: request.Test) {
    await call;
    await nextTurn();
    const { durationMs, ...rest } = service.metrics.requests.at(-1) ?? expect.fail('No request was told.');
    expect(durationMs).to.be.at.least(0);
    return rest;
  }

  it('is counted by its route pattern, never by its path', async () => {
    const { server } = service;
    expect(await countRequest(request(server).post('/api/v1/sign').send(SIGN))).to.deep.equal({
      ...{ method: 'POST', route: '/api/v1/sign', status: 200, failure: null },
    });
    expect(await countRequest(request(server).get('/api/v1/accounts/alpha/main'))).to.deep.equal({
      ...{ method: 'GET', route: '/api/v1/accounts/:platformId/:accountId', status: 200, failure: null },
    });
    expect(await countRequest(request(server).get('/healthz?x=1'))).to.deep.include({ route: '/healthz', status: 400 });
  });

  it('is counted with the code and reason of its refusal, wherever it was refused', async () => {
    const { server } = service;
    expect(await countRequest(request(server).get('/wp-admin').set('Origin', 'http://evil.example'))).to.deep.equal({
      ...{ method: 'GET', route: null, status: 403 },
      failure: { code: 'FORBIDDEN', reason: 'BROWSER_REQUEST' },
    });
    expect(await countRequest(request(server).get('/wp-admin/%ff'))).to.deep.equal({
      ...{ method: 'GET', route: null, status: 404, failure: { code: 'NOT_FOUND', reason: null } },
    });
    expect(
      await countRequest(
        request(server)
          .post('/api/v1/sign')
          .send({ ...SIGN, platformId: 'made-up' }),
      ),
    ).to.deep.equal({
      ...{ method: 'POST', route: '/api/v1/sign', status: 400 },
      failure: { code: 'PLATFORM_NOT_SUPPORTED', reason: null },
    });
    expect(await countRequest(request(server).get('/api/v1/status'))).to.deep.equal({
      ...{ method: 'GET', route: '/api/v1/status', status: 429 },
      failure: { code: 'RATE_LIMITED', reason: 'caller' },
    });
  });

  it('is counted without a status if it is aborted before its response', async () => {
    const socket = await openSocket(service.port);
    const begun = once(service.server, 'request');
    socket.write(postBytes('/api/v1/sign', '{}').subarray(0, -1));
    await begun;
    socket.resetAndDestroy();
    while (service.metrics.requests.length === 0) await sleep(5);
    expect(service.metrics.requests[0]).to.deep.include({ route: '/api/v1/sign', status: null });
  });
});
