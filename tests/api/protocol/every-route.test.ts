import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express, { type Express } from 'express';
import { PRIVATE_NETWORKS } from '../../../src/adapters/http/callers/network.ts';
import { NetworkList } from '../../../src/adapters/http/callers/network-list.ts';
import type { ServedConnections } from '../../../src/adapters/http/connections/served-connections.ts';
import { createServer, listen } from '../../../src/adapters/http/server.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { exchange, exchangeUntilClosed, postBytes } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const SIGN = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** Each endpoint, in every form of call. */
const REQUESTS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['POST /api/v1/sign', postBytes('/api/v1/sign', JSON.stringify(SIGN))],
  ['POST /api/v1/sign with a query', postBytes('/api/v1/sign?include=payload', JSON.stringify(SIGN))],
  [
    'POST /api/v1/sign/batch',
    postBytes('/api/v1/sign/batch', JSON.stringify({ requests: [{ requestId: '1', ...SIGN }] })),
  ],
  ['POST /api/v1/verify', postBytes('/api/v1/verify', JSON.stringify({ ...SIGN, signature: 'none' }))],
  ['POST /api/v1/config/reload', postBytes('/api/v1/config/reload', '')],
  ...[
    ...['GET /api/v1/accounts', 'GET /api/v1/accounts/alpha/main', 'GET /api/v1/status', 'GET /metrics'],
    ...['GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /docs', 'GET /nothing', 'GET /%zz', 'GET http://[::'],
    ...['GET /api/v1/sign', 'PUT /api/v1/sign', 'OPTIONS *', 'GET http://localhost/api/v1/status'],
  ].map((line) => [line, Buffer.from(`${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`)] as const),
];

describe('Every route', () => {
  let service: RunningService;
  let served: ServedConnections;
  let port: number;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  afterEach(() => served.stop(0));

  /** Like composition. */
  async function serve(app: Express): Promise<void> {
    const networks = { allowed: new NetworkList(PRIVATE_NETWORKS), trustedProxies: null };
    served = createServer(app, { tls: null, networks, metrics: service.metrics, log: service.log });
    const address: AddressInfo = await listen(served.server, { host: '127.0.0.1', port: 0 });
    port = address.port;
  }

  for (const [name, bytes] of REQUESTS) {
    it(`is guarded by preceding middleware: ${name}`, async () => {
      const before = service.records.entries.length;
      const guard = express();
      guard.use((_request, response) => void response.status(418).json({ guarded: true }));
      guard.use(service.app);
      await serve(guard);
      const { status, body } = await exchange(port, bytes);
      // Express passes on unroutable targets before middleware; they are routed again as `/`.
      expect([status, body]).to.deep.equal([418, { guarded: true }]);
      expect(service.records.entries).to.have.lengthOf(before);
    });
  }

  it('is served by the Express router, which strips the mount path', async () => {
    const seen: string[] = [];
    const outer = express();
    outer.use('/mounted', (request, _response, next) => {
      seen.push(`${request.baseUrl} ${request.url}`);
      next();
    });
    outer.use('/mounted', service.app);
    await serve(outer);
    const signed = await exchange(port, postBytes('/mounted/api/v1/sign', JSON.stringify(SIGN)));
    expect(expectData(signed)).to.have.property('signature');
    expect(service.app.mountpath).to.equal('/mounted');
    expect(seen).to.deep.equal(['/mounted /api/v1/sign']);
  });

  it('responds the same after pass-through middleware', async () => {
    const outer = express().disable('x-powered-by');
    await serve(outer.use((_request, _response, next) => next(), service.app));
    for (const [name, bytes] of REQUESTS) {
      const [through, straight] = [await headOf(port, bytes), await headOf(service.port, bytes)];
      expect(through, name).to.deep.equal(straight);
    }
  });

  /** The status line and header names of a response. */
  async function headOf(to: number, bytes: Buffer): Promise<readonly string[]> {
    const closing = bytes.toString('latin1').replace('\r\nHost:', '\r\nConnection: close\r\nHost:');
    const [head = ''] = (await exchangeUntilClosed(to, closing)).split('\r\n\r\n');
    return head.split('\r\n').map((line) => line.replace(/:.*/, ''));
  }

  it('responds 404 in the envelope to an invalid request target, with an id, and logs it', async () => {
    await serve(service.app);
    service.log.events.length = 0;
    for (const target of ['http://[::', 'http://[::1/api/v1/sign']) {
      for (const method of ['GET', 'POST']) {
        const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`;
        const response = await exchange(port, head);
        expectError(response, 404, 'NOT_FOUND');
        expect(response.headers['x-request-id']).to.be.a('string');
      }
    }
    const lines = service.log.events.filter(({ facts }) => 'route' in facts);
    expect(lines.map(({ facts }) => [facts['route'], facts['status']])).to.deep.equal(
      Array.from({ length: 4 }, () => ['(none)', 404]),
    );
  });
});
