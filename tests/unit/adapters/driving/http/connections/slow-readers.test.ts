import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { cutSlowReaders } from '../../../../../../src/adapters/driving/http/connections/slow-readers.ts';
import { closed, exchange, openSocket } from '../../../../../api/raw-client.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const READING_MS = 100;

describe('A caller who does not read its answer', () => {
  let server: Server;
  let port: number;
  let answer: string;

  beforeEach(async () => {
    server = createServer((_request, response) => {
      response.setHeader('Content-Length', answer.length);
      response.end(answer);
    });
    cutSlowReaders(server, READING_MS);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is cut off', async () => {
    answer = 'x'.repeat(50_000_000);
    const socket = await openSocket(port);
    socket.pause();
    const connections = once(server, 'request').then(([request]) => once(request.socket, 'close'));
    socket.write(REQUEST);
    await connections;
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await closed(socket);
    expect(received).to.be.lessThan(answer.length);
  });

  it('does not concern one who reads it and stays', async () => {
    answer = '{}';
    const socket = await openSocket(port);
    for (let request = 0; request < 3; request += 1) {
      socket.write(REQUEST);
      await once(socket, 'data');
      await new Promise((resolve) => setTimeout(resolve, READING_MS));
    }
    expect(socket.destroyed).to.equal(false);
    expect((await exchange(port, REQUEST)).status).to.equal(200);
    socket.destroy();
  });

  it('is not waited for once it has gone: nothing keeps its answer', async () => {
    const silent = createServer();
    cutSlowReaders(silent, READING_MS);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const received = once(silent, 'request');
    const socket = await openSocket((silent.address() as AddressInfo).port);
    socket.write(REQUEST);
    const [, response] = await received;
    socket.resetAndDestroy();
    await once(response, 'close');
    let cuts = 0;
    response.destroy = () => {
      cuts += 1;
      return response;
    };
    response.end('late');
    await new Promise((resolve) => setTimeout(resolve, 2 * READING_MS));
    silent.close();
    expect(cuts).to.equal(0);
  });
});
