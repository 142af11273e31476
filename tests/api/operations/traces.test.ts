import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import type { TracedRequest } from '../../../src/ports/traces.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('Traces of requests', () => {
  const requests: TracedRequest[] = [];
  const traces = { requestEnded: (request: TracedRequest) => void requests.push(request), close: async () => {} };
  const service = useNewService(() => startService({ replace: () => ({ traces }) }));
  beforeEach(() => requests.splice(0));

  const BODY = { platformId: 'alpha', accountId: 'main', data: DATA_A };
  const post = (path: string, body: object) =>
    request(service.server).post(path).set('traceparent', TRACEPARENT).set('X-Request-Id', 'order-1').send(body);
  const ended = async () => {
    // The response closes one tick later.
    await nextTurn();
    return requests;
  };

  it("name route, status, platform, correlation id and the caller's span, and nothing else of the request", async () => {
    expect((await post('/api/v1/sign', BODY)).status).to.equal(200);
    const [traced, ...others] = await ended();
    expect(others).to.deep.equal([]);
    const { durationMs, ...rest } = traced ?? expect.fail();
    expect(durationMs).to.be.above(0);
    expect(rest).to.deep.equal({
      method: 'POST',
      route: '/api/v1/sign',
      status: 200,
      failure: null,
      traceparent: TRACEPARENT,
      correlationId: 'order-1',
      platformId: 'alpha',
    });
  });

  it('name the code of a refusal, and no platform of a body that cannot be read', async () => {
    await post('/api/v1/sign', { ...BODY, accountId: 'none' });
    await post('/api/v1/verify', { platformId: 'alpha' });
    const shown = (await ended()).map(({ route, status, failure, platformId }) => [
      ...[route, status, failure?.code, platformId],
    ]);
    expect(shown).to.deep.equal([
      ['/api/v1/sign', 404, 'ACCOUNT_NOT_FOUND', 'alpha'],
      ['/api/v1/verify', 400, 'INVALID_DATA_FORMAT', null],
    ]);
  });

  it('have one entry for a batch, and none for requests that sign nothing', async () => {
    await post('/api/v1/sign/batch', { requests: [{ ...BODY, requestId: 'r-1' }] });
    for (const path of ['/healthz', '/readyz', '/metrics', '/api/v1/status', '/api/v1/accounts', '/none']) {
      await request(service.server).get(path);
    }
    await request(service.server).get('/api/v1/sign');
    expect((await ended()).map(({ route, platformId }) => [route, platformId])).to.deep.equal([
      ['/api/v1/sign/batch', null],
    ]);
  });

  it('have no parent without a valid traceparent', async () => {
    await request(service.server).post('/api/v1/sign').set('traceparent', 'none').send(BODY);
    expect((await ended()).map(({ traceparent }) => traceparent)).to.deep.equal([null]);
  });
});
