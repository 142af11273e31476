import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import { signResponseWith } from '../../../../src/adapters/http/response-signature.ts';
import { respondWithData } from '../../../../src/adapters/http/responses.ts';
import { exchangeUntilClosed } from '../../../harness/raw-client.ts';

const HEAD_END = '\r\n\r\n';

/** A response without a connection. */
function responseTo(method: string): ServerResponse {
  return new ServerResponse({ method, headers: {} } as IncomingMessage);
}

describe('A response in the envelope', () => {
  let server: Server;
  let data: string;

  beforeEach(async () => {
    server = createServer((_request, response) => respondWithData(response, data));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('has its length in bytes and its text in UTF-8', async () => {
    for (const text of ['a', 'é', '😀\u2028漢', 'x'.repeat(300_000)]) {
      data = text;
      const { port } = server.address() as AddressInfo;
      const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
      const received = Buffer.from(await exchangeUntilClosed(port, request), 'latin1').toString();
      const [head = '', body] = received.split(HEAD_END);
      expect(body).to.equal(JSON.stringify({ success: true, data: text }));
      expect(head).to.include(`\r\nContent-Length: ${Buffer.byteLength(String(body))}\r\n`);
      expect(head).to.include('\r\nContent-Type: application/json; charset=utf-8\r\n');
      expect(head).to.match(/^HTTP\/1\.1 200 OK\r\n/);
      expect(head).not.to.match(/transfer-encoding|etag/i);
    }
  });

  it('counts its unread bytes in writableLength', () => {
    for (const text of ['a'.repeat(1000), '\u6f22'.repeat(1000)]) {
      const response = responseTo('GET');
      respondWithData(response, text);
      const { writableLength } = response;
      const headLength = writableLength - Buffer.byteLength(JSON.stringify({ success: true, data: text }));
      expect(headLength).to.be.within(100, 300);
    }
  });

  it('is neither sent nor signed once the caller has disconnected: the key may be wiped', () => {
    const response = Object.assign(responseTo('GET'), { locals: {} });
    signResponseWith(response as unknown as Response, () => {
      throw new Error('There is no key.');
    });
    response.destroy();
    expect(() => respondWithData(response, {})).not.to.throw();
  });
});
