import { expect } from 'chai';
import request from 'supertest';
import { expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { exchange } from '../../harness/raw-client.ts';
import { useService } from '../../harness/use-service.ts';

const GET_PATHS = [
  ...['/api/v1/accounts', '/api/v1/accounts?limit=1', '/api/v1/accounts/alpha/main', '/api/v1/status'],
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'],
];
const POST_PATHS = ['/api/v1/sign', '/api/v1/sign/batch', '/api/v1/verify', '/api/v1/config/reload'];

function expectCommonHeaders(headers: { readonly [name: string]: unknown }): void {
  expect(headers).to.include({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  });
  expect(headers['x-request-id']).to.equal(headers['x-correlation-id']);
}

describe('Routes', () => {
  const service = useService();

  const raw = (method: string, path: string) =>
    exchange(service.port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`);

  describe('respond 404 NOT_FOUND to unknown paths', () => {
    const paths = [
      ...['/', '/api/v1', '/api/v2/status', '/status', '/api/v1/nothing', '/api/v1/healthz', '/api/v1/docs'],
      ...['/api/v1/status/', '/healthz/', '/metrics/', '/docs/', '/docs/x', '/API/v1/status', '/Metrics', '/DOCS'],
      ...['//api/v1/status', '/api/v1/accounts/alpha', '/api/v1/accounts/alpha/main/key', '/api/v1/accounts//main'],
      ...['/api/v1/%', '/%zz', '/api/v1/../v1/status', 'http://[::', 'http://[::1/api/v1/sign', '/../secret'],
      '/master.key',
    ];
    for (const path of paths) {
      it(`GET ${path}`, async () => {
        expect(expectError(await raw('GET', path), 404, 'NOT_FOUND').details).to.deep.equal({});
      });
    }

    for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
      it(`${method} /api/v1/nothing`, async () => {
        expectError(await raw(method, '/api/v1/nothing'), 404, 'NOT_FOUND');
      });
    }

    it('OPTIONS *', async () => {
      expectError(await raw('OPTIONS', '*'), 404, 'NOT_FOUND');
    });
  });

  describe('respond 405 METHOD_NOT_ALLOWED with Allow to other methods', () => {
    const cases = [
      ...GET_PATHS.map((path) => ({ path, methods: ['POST', 'DELETE', 'OPTIONS', 'TRACE'], allowed: ['GET', 'HEAD'] })),
      ...POST_PATHS.map((path) => ({ path, methods: ['GET', 'PUT', 'OPTIONS'], allowed: ['POST'] })),
    ];
    for (const { path, methods, allowed } of cases) {
      it(path, async () => {
        for (const method of methods) {
          const response = await raw(method, path);
          expect(expectError(response, 405, 'METHOD_NOT_ALLOWED').details, method).to.deep.equal({ allowed });
          expect(response.headers['allow']).to.equal(allowed.join(', '));
        }
      });
    }

    it('HEAD, without a body', async () => {
      for (const path of POST_PATHS) {
        const { status, headers } = await request(service.server).head(path);
        expect([status, headers['allow']], path).to.deep.equal([405, 'POST']);
      }
    });
  });

  for (const path of GET_PATHS) {
    it(`respond to HEAD like GET, without the body: ${path}`, async () => {
      const { status, headers, text = '' } = await request(service.server).head(path);
      const whole = await request(service.server).get(path);
      expect([status, text]).to.deep.equal([200, '']);
      expect(headers['content-type']).to.equal(whole.headers['content-type']);
      // A page of metrics is not rendered for HEAD.
      if (path !== '/metrics') expect(headers['content-length']).to.equal(whole.headers['content-length']);
    });
  }

  it('respond in full to conditional and range requests', async () => {
    const response = await request(service.server)
      .get('/api/v1/status')
      .set({ 'If-None-Match': '*', 'If-Modified-Since': 'Fri, 20 Nov 2099 00:00:00 GMT', Range: 'bytes=0-1' });
    expect(response.status).to.equal(200);
    expect(response.body.success).to.equal(true);
    expect(response.headers).not.to.have.property('etag');
  });

  for (const path of ['/api/v1/status', '/api/v1/sign', '/healthz', '/api/v1/nothing']) {
    it(`send the common headers, a correlation id, and nothing about the software: ${path}`, async () => {
      const { headers } = await request(service.server).get(path);
      expectCommonHeaders(headers);
      expect(headers).not.to.have.property('strict-transport-security');
      expect(headers['x-correlation-id']).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(headers).not.to.have.any.keys('x-powered-by', 'server', 'etag');
    });
  }

  it('send the common headers if a request is refused before routing', async () => {
    const { status, headers } = await request(service.server).get('/api/v1/status').set('Origin', 'http://a.example');
    expect(status).to.equal(403);
    expectCommonHeaders(headers);
  });

  it('create a correlation id for each request', async () => {
    const [first, second] = [await raw('GET', '/api/v1/status'), await raw('GET', '/api/v1/status')];
    expect(first.headers['x-correlation-id']).not.to.equal(second.headers['x-correlation-id']);
  });

  it('accept the absolute form of a request target', async () => {
    const response = await raw('GET', 'http://localhost/api/v1/status');
    expect(response.status).to.equal(200);
  });

  it('ignore a request to upgrade, and close its connection', async () => {
    const response = await exchange(
      service.port,
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    );
    expect(response.status).to.equal(200);
    expect(response.headers['connection']).to.equal('close');
  });

  it('ignore an unknown expectation', async () => {
    const head = 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\n\r\n';
    expect((await exchange(service.port, head)).status).to.equal(200);
  });

  it('reject HTTP/1.1 without a Host header', async () => {
    expect(expectIssues(await exchange(service.port, 'GET /api/v1/status HTTP/1.1\r\n\r\n'))).to.deep.equal(['']);
    const old = await exchange(service.port, 'GET /api/v1/status HTTP/1.0\r\n\r\n');
    expect(old.status).to.equal(200);
  });
});
