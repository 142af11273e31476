import { expect } from 'chai';
import { NetworkList } from '../../../src/adapters/http/callers/network-list.ts';
import { listedAccounts } from '../../doubles/listed-accounts.ts';
import { expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { closed, exchangeUntilClosed, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));
const ofVersion = (version: string) => Buffer.from(SIGN.toString('latin1').replace(' HTTP/1.1', version), 'latin1');

/** Invalid ends of the request line (RFC 9112 §3; RFC 9110 §15.6.6 allows rejection). */
const OTHERS: readonly (readonly [name: string, version: string])[] = [
  ['no version, which is HTTP/0.9', ''],
  ['HTTP/0.9', ' HTTP/0.9'],
  ['HTTP/2.0', ' HTTP/2.0'],
  ['HTTP/1.2', ' HTTP/1.2'],
  ['HTTP/3.0', ' HTTP/3.0'],
  ['two digits after the dot', ' HTTP/1.10'],
  ['letters in lower case', ' http/1.1'],
];

describe('Versions of HTTP', () => {
  let service: RunningService;

  async function start(parts: ServiceParts = {}): Promise<void> {
    service = await startService(parts);
  }
  afterEach(() => service.close());

  const send = (...writes: readonly (string | Buffer)[]) => exchangeUntilClosed(service.port, ...writes);

  for (const [name, version] of OTHERS) {
    it(`other than 1.1 and 1.0 are rejected in the envelope, and the connection closes: ${name}`, async () => {
      await start();
      const socket = await openSocket(service.port);
      const response = readResponse(socket);
      socket.write(ofVersion(version));
      expect(expectIssues(await response)).to.deep.equal(['']);
      expect((await response).headers['connection']).to.equal('close');
      await closed(socket);
      expect(service.records.entries).to.deep.equal([]);
    });

    it(`that are rejected cause the next request to be discarded: ${name}`, async () => {
      await start();
      const kept = Buffer.from(ofVersion(version).toString('latin1').replace('\r\n', '\r\nConnection: keep-alive\r\n'));
      const received = await send(Buffer.concat([kept, SIGN]));
      expect(received.match(/HTTP\/1\.1 \d{3} /g)).to.deep.equal(['HTTP/1.1 400 ']);
      expect(service.records.entries).to.deep.equal([]);
    });
  }

  it('are checked before path, method, Host, body length and expectation', async () => {
    await start();
    for (const request of [
      'GET /nothing\r\n\r\n',
      'DELETE /api/v1/sign HTTP/2.0\r\n\r\n',
      'GET /healthz HTTP/0.9\r\n\r\n',
      'POST /api/v1/sign HTTP/2.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'POST /api/v1/sign HTTP/2.0\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n{',
      'CONNECT localhost:22 HTTP/2.0\r\nHost: localhost:22\r\n\r\n',
    ]) {
      const received = await send(request);
      expect(received, request)
        .to.match(/^HTTP\/1\.1 400 /)
        .and.include('must be an HTTP/1.1 or HTTP/1.0 request');
    }
  });

  it('are not reported to callers outside the allowed networks', async () => {
    await start({ networks: { allowed: new NetworkList(['192.0.2.0/24']) } });
    const socket = await openSocket(service.port);
    const response = readResponse(socket);
    socket.write('GET /api/v1/status\r\n\r\n');
    expectError(await response, 403, 'FORBIDDEN');
  });

  it('include 1.0, with or without Host; its connection persists only on request', async () => {
    await start();
    const whole = await send('GET /healthz HTTP/1.0\r\n\r\n');
    expect(whole)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.match(/\r\nConnection: close\r\n/);
    const kept = 'GET /healthz HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n';
    const received = await send(`${kept}${kept}`, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(received.match(/HTTP\/1\.1 \d{3} /g)).to.deep.equal(['HTTP/1.1 200 ', 'HTTP/1.1 200 ', 'HTTP/1.1 200 ']);
    expect(await send(ofVersion(' HTTP/1.0'))).to.include('"signature":');
  });

  // No Transfer-Encoding for HTTP/1.0 (RFC 9112 §6.1); the body ends with the connection (§6.3).
  for (const header of ['', 'Connection: keep-alive\r\n']) {
    it(`of 1.0${header === '' ? '' : ', with keep-alive,'} have no chunks: a streamed list ends with its connection`, async () => {
      await start({ replace: ({ accounts }) => ({ accounts: { ...listedAccounts(2500), page: accounts.page } }) });
      const received = await send(`GET /api/v1/accounts HTTP/1.0\r\n${header}\r\n`);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      expect(head)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.match(/\r\nConnection: close(?:\r\n|$)/);
      expect(head.toLowerCase()).to.not.include('transfer-encoding').and.not.include('content-length');
      expect(JSON.parse(body).data.accounts).to.have.lengthOf(2500);
    });
  }

  it('of 1.0 with chunks are rejected as ambiguous and their connection closes', async () => {
    await start();
    const chunked = SIGN.toString('latin1').replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
    const [head = '', body = ''] = chunked.split('\r\n\r\n');
    const old = head.replace(' HTTP/1.1', ' HTTP/1.0').replace('\r\n', '\r\nConnection: keep-alive\r\n');
    const request = `${old}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const received = await send(Buffer.concat([Buffer.from(request), SIGN]));
    expect(received.match(/HTTP\/1\.1 \d{3} /g)).to.deep.equal(['HTTP/1.1 400 ']);
    expect(service.records.entries).to.deep.equal([]);
  });
});
