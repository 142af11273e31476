import { expect } from 'chai';
import type { AppDependencies } from '../../../src/adapters/http/app.ts';
import { listedAccounts } from '../../doubles/listed-accounts.ts';
import { expectIssues } from '../../harness/envelope-checks.ts';
import {
  closed,
  collect,
  exchangeUntilClosed,
  openSocket,
  postBytes,
  readResponse,
  statusesOf,
} from '../../harness/raw-client.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useService, withService } from '../../harness/use-service.ts';

const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));
const ofVersion = (version: string) => Buffer.from(SIGN.toString('latin1').replace(' HTTP/1.1', version), 'latin1');

/** Invalid ends of the request line (RFC 9112 §2.3). */
const OTHERS: readonly (readonly [name: string, version: string])[] = [
  ['two digits after the dot', ' HTTP/1.10'],
  ['letters in lower case', ' http/1.1'],
];

describe('Versions of HTTP', () => {
  const service = useService();

  const send = (...writes: readonly (string | Buffer)[]) => exchangeUntilClosed(service.port, ...writes);

  for (const [name, version] of OTHERS) {
    it(`other than 1.1 and 1.0 are rejected, and their connection closes without another response: ${name}`, async () => {
      const kept = ofVersion(version).toString('latin1').replace('\r\n', '\r\nConnection: keep-alive\r\n');
      const socket = await openSocket(service.port);
      const received = collect(socket);
      const response = readResponse(socket);
      socket.write(Buffer.concat([Buffer.from(kept), SIGN]));
      expect(expectIssues(await response)).to.deep.equal(['']);
      expect((await response).headers['connection']).to.equal('close');
      await closed(socket);
      expect(statusesOf(received())).to.deep.equal([400]);
      expect(service.records.entries).to.deep.equal([]);
    });
  }

  it('not sent, or 2.0, are served like 1.0', async () => {
    for (const version of ['', ' HTTP/2.0']) {
      const kept = `GET /healthz${version}\r\nConnection: keep-alive\r\n\r\n`;
      expect(statusesOf(await send(`${kept}GET /healthz${version}\r\n\r\n`))).to.deep.equal([200, 200]);
    }
  });

  it('include 1.0, with or without Host; its connection persists only on request', async () => {
    const whole = await send('GET /healthz HTTP/1.0\r\n\r\n');
    expect(whole)
      .to.match(/^HTTP\/1\.1 200 /)
      .and.match(/\r\nConnection: close\r\n/);
    const kept = 'GET /healthz HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n';
    const received = await send(`${kept}${kept}`, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(statusesOf(received)).to.deep.equal([200, 200, 200]);
    expect(await send(ofVersion(' HTTP/1.0'))).to.include('"signature":');
  });

  // No Transfer-Encoding for HTTP/1.0 (RFC 9112 §6.1); the body ends with the connection (§6.3).
  it('of 1.0, also with keep-alive, have no chunks: a streamed list ends with its connection', async () => {
    const list = ({ accounts }: AppDependencies) => ({ accounts: { ...listedAccounts(2500), page: accounts.page } });
    await withService({ replace: list }, async ({ port }) => {
      const received = await exchangeUntilClosed(
        port,
        'GET /api/v1/accounts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
      );
      const [head = '', body = ''] = received.split('\r\n\r\n');
      expect(head)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.match(/\r\nConnection: close(?:\r\n|$)/);
      expect(head.toLowerCase()).to.not.include('transfer-encoding').and.not.include('content-length');
      expect(JSON.parse(body).data.accounts).to.have.lengthOf(2500);
    });
  });

  it('of 1.0 with chunks are rejected as ambiguous and their connection closes', async () => {
    const chunked = SIGN.toString('latin1').replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
    const [head = '', body = ''] = chunked.split('\r\n\r\n');
    const old = head.replace(' HTTP/1.1', ' HTTP/1.0').replace('\r\n', '\r\nConnection: keep-alive\r\n');
    const request = `${old}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const received = await send(Buffer.concat([Buffer.from(request), SIGN]));
    expect(statusesOf(received)).to.deep.equal([400]);
    expect(service.records.entries).to.deep.equal([]);
  });
});
