import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import { type ResponseSigner, signResponseWith } from '../../../../src/adapters/http/response-signature.ts';
import { streamResponse } from '../../../../src/adapters/http/stream-response.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { closed, openSocket } from '../../../harness/raw-client.ts';

const SLICE = 'x'.repeat(100_000);
const MANY = 300;

describe('streamResponse', () => {
  let server: Server;
  let port: number;
  let made: number;
  let answering: Promise<void>;
  let readTimeoutMs: number;
  let totalTimeoutMs: number;
  let signer: ResponseSigner | null;
  let onSlice: (response: ServerResponse) => void;

  beforeEach(async () => {
    made = 0;
    readTimeoutMs = 60_000;
    totalTimeoutMs = 60_000;
    signer = null;
    onSlice = () => undefined;
    server = createServer((_request, response: ServerResponse) => {
      const expressed = Object.assign(response, { locals: {} }) as unknown as Response;
      if (signer !== null) signResponseWith(expressed, signer);
      answering = streamResponse(response, slices(response), new FixedClock(), { readTimeoutMs, totalTimeoutMs });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function* slices(response: ServerResponse): Iterable<string> {
    for (; made < MANY; made += 1) {
      onSlice(response);
      yield SLICE;
    }
  }

  it('renders only as fast as the caller reads', async () => {
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let before = -1;
    while (made !== before || made === 0) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // The socket buffers of both ends.
    expect(made).to.be.lessThan(MANY / 2);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await closed(socket);
    expect(made).to.equal(MANY);
    expect(received).to.be.greaterThan(MANY * SLICE.length);
  });

  for (const last of [0, MANY - 1]) {
    it(`uses no signer for a caller that disconnected during slice ${last}: its key may be wiped`, async () => {
      let signed = 0;
      signer = () => {
        signed += 1;
        return 'signature';
      };
      onSlice = (response) => {
        if (made === last) response.destroy();
      };
      const socket = await openSocket(port);
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await closed(socket);
      await answering;
      expect(signed).to.equal(0);
      expect(made).to.be.at.most(last + 1);
    });
  }

  it('closes the connection if the caller does not read', async () => {
    readTimeoutMs = 50;
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    await answering;
    expect(made).to.be.lessThan(MANY);
    await closed(socket);
  });

  it('closes the connection if the caller reads too slowly overall', async () => {
    totalTimeoutMs = 200;
    const socket = await openSocket(port);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    // Lets the service make a slice or two each time.
    const reading = setInterval(() => {
      socket.resume();
      setImmediate(() => socket.pause());
    }, 20);
    await answering;
    clearInterval(reading);
    // The last pause would hide the end.
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).to.be.within(2, MANY - 1);
    await closed(socket);
  });
});
