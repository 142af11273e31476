import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import { answerInSlices } from '../../../../../src/adapters/driving/http/answer-in-slices.ts';
import {
  type AnswerSigner,
  signAnswerWith,
} from '../../../../../src/adapters/driving/http/authentication/answer-signer.ts';
import { closed, openSocket } from '../../../../api/raw-client.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';

const SLICE = 'x'.repeat(100_000);
const MANY = 1000;

describe('answerInSlices', () => {
  let server: Server;
  let port: number;
  let made: number;
  let answering: Promise<void>;
  let readingMs: number;
  let wholeMs: number;
  let signer: AnswerSigner | null;
  let onSlice: (response: ServerResponse) => void;

  beforeEach(async () => {
    made = 0;
    readingMs = 60_000;
    wholeMs = 60_000;
    signer = null;
    onSlice = () => undefined;
    server = createServer((_request, response: ServerResponse) => {
      const expressed = Object.assign(response, { locals: {} }) as unknown as Response;
      if (signer !== null) signAnswerWith(expressed, signer);
      answering = answerInSlices(response, slices(response), new FixedClock(), { readingMs, wholeMs });
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

  it('makes no more than a caller reads, and the rest when it reads on', async () => {
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let before = -1;
    while (made !== before || made === 0) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // What the sockets of both ends hold.
    expect(made).to.be.lessThan(MANY / 2);
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await closed(socket);
    expect(made).to.equal(MANY);
    expect(received).to.be.greaterThan(MANY * SLICE.length);
  });

  it('stops when the caller goes away', async () => {
    const socket = await openSocket(port);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await answering;
    expect(made).to.be.lessThan(MANY);
  });

  for (const last of [0, 10, MANY - 1]) {
    it(`asks no signer for a caller who went away while slice ${last} was made: its key may be wiped by then`, async () => {
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

  it('stops and cuts the connection when the caller does not read', async () => {
    readingMs = 50;
    const socket = await openSocket(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    await answering;
    expect(made).to.be.lessThan(MANY);
    await closed(socket);
  });

  it('stops and cuts the connection when the caller reads a little now and then, and takes too long for all', async () => {
    wholeMs = 200;
    const socket = await openSocket(port);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(server, 'request');
    // Enough for the service to make another slice or two each time.
    const reading = setInterval(() => {
      socket.resume();
      setImmediate(() => socket.pause());
    }, 20);
    await answering;
    clearInterval(reading);
    // The last pause is still to come, and would keep the end from being seen.
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).to.be.within(2, MANY - 1);
    await closed(socket);
  });
});
