import type { Socket } from 'node:net';
import { expect } from 'chai';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { listedAccounts } from '../../doubles/listed-accounts.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import {
  closed,
  collect,
  exchange,
  openSocket,
  postBytes,
  readResponse,
  statusesOf,
} from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const GOOD = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

describe('Errors that Node reports before the application', () => {
  let audit: DelayingAuditSink;
  const service = useNewService(() => {
    audit = new DelayingAuditSink();
    return startService({ adapters: { sink: audit } });
  });

  function serverSide(): Promise<Socket> {
    return new Promise((resolve) => service.server.once('connection', resolve));
  }

  /** Has Node report that the request of a connection took too long. */
  async function timeOut(accepted: Promise<Socket>): Promise<void> {
    const timeout = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    service.server.emit('clientError', timeout, await accepted);
  }

  async function auditedRequest(): Promise<void> {
    while (audit.waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  const broken: readonly (readonly [name: string, bytes: string])[] = [
    ['a request line of another protocol', 'HELO signing\r\n\r\n'],
    ['a TLS hello on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a name', 'GET /api/v1/status HTTP/1.1\r\n: x\r\nHost: localhost\r\n\r\n'],
  ];
  for (const [name, bytes] of broken) {
    it(`responds 400 in the envelope and closes: ${name}`, async () => {
      const socket = await openSocket(service.port);
      const response = readResponse(socket);
      socket.write(Buffer.from(bytes, 'latin1'));
      expect(expectIssues(await response)).to.deep.equal(['']);
      expect((await response).headers['connection']).to.equal('close');
      await closed(socket);
    });
  }

  it('responds 431 HEADERS_TOO_LARGE', async () => {
    const head = `GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expectError(await exchange(service.port, head), 431, 'HEADERS_TOO_LARGE');
  });

  it('responds 413 to endless chunk extensions', async () => {
    const head = postBytes('/api/v1/sign', '').toString().replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    const response = exchange(service.port, `${head}1;${'x'.repeat(20_000)}\r\n`);
    await auditedRequest();
    audit.succeed();
    expectError(await response, 413, 'REQUEST_TOO_LARGE');
  });

  it('sends the common response headers with a new id, and counts the response', async () => {
    const other = await exchange(service.port, 'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const { headers } = await exchange(service.port, 'nonsense\r\n\r\n');
    expect(headers).to.have.all.keys(Object.keys(other.headers));
    for (const name of ['content-security-policy', 'x-content-type-options', 'cache-control', 'connection']) {
      expect(headers[name]).to.equal(other.headers[name]);
    }
    expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    expect(headers['x-correlation-id']).to.equal(headers['x-request-id']);
    const { durationMs, ...counted } = service.metrics.requests.at(-1) ?? expect.fail('Nothing was counted.');
    expect(durationMs).to.be.at.least(0);
    const failure = { code: 'INVALID_DATA_FORMAT', reason: null };
    expect(counted).to.deep.equal({ method: '', route: null, status: 400, failure });
  });

  it('responds 408 with the id of the slow request', async () => {
    const accepted = serverSide();
    const socket = await openSocket(service.port);
    const response = readResponse(socket);
    const begun = new Promise((resolve) => service.server.once('request', resolve));
    socket.write(postBytes('/api/v1/sign', GOOD, ['X-Request-Id: order-17']).subarray(0, -1));
    await begun;
    await timeOut(accepted);
    await auditedRequest();
    audit.succeed();
    const { headers } = await response;
    expect(headers).to.include({ 'x-request-id': 'order-17', 'x-correlation-id': 'order-17', connection: 'close' });
    await closed(socket);
    while (service.metrics.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const counted = service.metrics.requests.map(({ route, status, failure }) => ({ route, status, failure }));
    const failure = { code: 'REQUEST_TIMEOUT', reason: null };
    expect(counted).to.deep.equal([{ route: '/api/v1/sign', status: 408, failure }]);
  });

  /** Makes Node report a timeout, sends the rest, and returns the responses. */
  async function sendLate(inTime: string, rest: string): Promise<string> {
    const accepted = serverSide();
    const socket = await openSocket(service.port);
    const received = collect(socket);
    const begun = new Promise((resolve) => service.server.once('request', resolve));
    const response = readResponse(socket);
    socket.write(inTime);
    await begun;
    await timeOut(accepted);
    await auditedRequest();
    socket.write(rest);
    audit.succeed();
    expectError(await response, 408, 'REQUEST_TIMEOUT');
    await closed(socket);
    return received();
  }

  const announcedSign = postBytes('/api/v1/sign', GOOD).toString();
  const chunkedSign = announcedSign
    .replace(/Content-Length: .*/, 'Transfer-Encoding: chunked')
    .replace(GOOD, `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`);
  const chunkedReload =
    'POST /api/v1/config/reload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
  for (const [name, event, request] of [
    ['a signing request of a given length', 'sign', announcedSign],
    ['a signing request in chunks', 'sign', chunkedSign],
    ['a reload', 'reload', chunkedReload],
  ] as const) {
    it(`does not execute a request that completes after its timeout: ${name}`, async () => {
      const { loads } = service.credentials;
      const received = await sendLate(request.slice(0, -1), request.slice(-1));
      expect(statusesOf(received)).to.deep.equal([408]);
      const records = [...audit.durable, ...audit.waiting];
      expect(records.map((record) => [record.event, record.errorCode])).to.deep.equal([[event, 'REQUEST_TIMEOUT']]);
      expect(service.credentials.loads).to.equal(loads);
    });
  }

  it('limits the time for headers, requests and idle connections', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = service.server;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout }).to.deep.equal({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    });
  });

  it('responds to a malformed request after a valid one on the same connection', async () => {
    const socket = await openSocket(service.port);
    socket.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expectData(await readResponse(socket));
    socket.removeAllListeners('data');
    const response = readResponse(socket);
    socket.write('nonsense\r\n\r\n');
    expectIssues(await response);
    await closed(socket);
  });

  const FAILURES: readonly (readonly [name: string, bytes: string | Buffer, status: number])[] = [
    ['bytes that are not a request', 'nonsense\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 404],
    [
      'malformed chunks',
      'POST /api/v1/sign HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n',
      400,
    ],
  ];
  for (const [name, bytes, status] of FAILURES) {
    // RFC 9112 §9.3.2: responses in request order.
    for (const how of ['at once', 'later'] as const) {
      it(`completes signing requests in flight before it responds to the next one (${how}): ${name}`, async () => {
        const socket = await openSocket(service.port);
        const received = collect(socket);
        const signs = Buffer.concat([postBytes('/api/v1/sign', GOOD), postBytes('/api/v1/sign', GOOD)]);
        socket.write(how === 'at once' ? Buffer.concat([signs, Buffer.from(bytes)]) : signs);
        await auditedRequest();
        if (how === 'later') socket.write(bytes);
        // Later data is ignored.
        await new Promise((resolve) => setTimeout(resolve, 20));
        socket.write(postBytes('/api/v1/sign', GOOD));
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(received()).to.equal('');
        audit.succeed();
        await auditedRequest();
        audit.succeed();
        await closed(socket);
        expect(statusesOf(received())).to.deep.equal([200, 200, status]);
        expect(received().match(/"signature":/g)).to.have.lengthOf(2);
      });
    }
  }

  const unfinished: readonly (readonly [name: string, rest: string])[] = [
    ['whose body breaks off', ''],
    ['whose body goes on with a broken chunk', 'zz\r\n'],
  ];
  for (const [name, rest] of unfinished) {
    it(`responds once to a request that is refused before its body arrives, and ${name}`, async () => {
      const socket = await openSocket(service.port);
      const received = collect(socket);
      const refused = readResponse(socket);
      socket.write('POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n');
      expectError(await refused, 404, 'NOT_FOUND');
      socket.end(rest);
      await closed(socket);
      expect(statusesOf(received())).to.deep.equal([404]);
    });
  }

  for (const [name, bytes, status] of FAILURES.slice(1)) {
    it(`sends a slowly read list in full before the next response: ${name}`, async () => {
      await restartAs(
        service,
        startService({
          replace: ({ accounts }) => ({ accounts: { ...listedAccounts(30_000), page: accounts.page } }),
        }),
      );
      const socket = await openSocket(service.port);
      socket.pause().write(`GET /api/v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const received = collect(socket);
      await closed(socket);
      expect(received().match(/"accountId":/g)).to.have.lengthOf(30_000);
      expect(statusesOf(received())).to.deep.equal([200, status]);
    });
  }

  it('survives a peer that disconnects without reading', async () => {
    for (const bytes of ['nonsense\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n']) {
      const socket = await openSocket(service.port);
      socket.write(bytes);
      socket.resetAndDestroy();
      await closed(socket);
    }
    expectData(await exchange(service.port, 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  });
});
