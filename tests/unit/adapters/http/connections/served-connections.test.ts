import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  MAX_PIPELINED,
  MAX_UNREAD_BYTES,
  ServedConnections,
} from '../../../../../src/adapters/http/connections/served-connections.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { closed, exchange, exchangeUntilClosed, openSocket } from '../../../../harness/raw-client.ts';

const READING_MS = 100;

function get(path: string): string {
  return `GET /${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

describe('ServedConnections', () => {
  let connections: ServedConnections;
  let log: RecordingServiceLog;
  let port: number;
  let begun: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  let handle: RequestListener;

  const paths = () => begun.map(({ request }) => request.url);

  /** Waits until so many requests are handled. */
  async function hasBegun(count: number): Promise<void> {
    while (begun.length < count) await sleep(1);
  }

  /** @param readTimeoutMs default: as in production */
  async function serve(readTimeoutMs?: number): Promise<void> {
    const listener: RequestListener = (request, response) => {
      begun.push({ request, response });
      handle(request, response);
    };
    connections = new ServedConnections(createServer(), listener, log, readTimeoutMs);
    connections.server.listen(0, '127.0.0.1');
    await once(connections.server, 'listening');
    port = (connections.server.address() as AddressInfo).port;
  }

  beforeEach(() => {
    begun = [];
    handle = () => undefined;
    log = new RecordingServiceLog();
    return serve(READING_MS);
  });
  afterEach(() => connections.stop(0));

  it('handles pipelined requests one at a time, in order', async () => {
    handle = (request, response) => setImmediate(() => response.end(`${request.url};`));
    const received = exchangeUntilClosed(port, get('1') + get('2'), get('3'), 'GET /4 HTTP/1.0\r\n\r\n');
    await hasBegun(4);
    expect((await received).match(/\/\d;/g)).to.deep.equal(['/1;', '/2;', '/3;', '/4;']);
  });

  it('closes only a connection that pipelines while too many requests wait, and throttles the warning', async () => {
    const full = await openSocket(port);
    full.write(get('first') + get('next').repeat(MAX_PIPELINED));
    await hasBegun(1);
    const one = await openSocket(port);
    for (let count = 2; count < 4; count += 1) {
      const socket = await openSocket(port);
      const isClosed = closed(socket);
      socket.write(get('other'));
      await hasBegun(count);
      socket.write(get('one-more').repeat(1000));
      await isClosed;
    }
    one.write(get('alone'));
    await hasBegun(4);
    expect(paths()).to.deep.equal(['/first', '/other', '/other', '/alone']);
    expect([full, one].map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
    const warnings = log.events.filter(({ message }) => message.includes('pipelined requests wait'));
    expect(warnings.map(({ facts }) => facts)).to.deep.equal([{ count: 1, closed: 1, maxPipelined: MAX_PIPELINED }]);
    // Those of a closed connection no longer wait.
    full.destroy();
    await sleep(50);
    one.write(get('more'));
    await sleep(50);
    expect(one.destroyed).to.equal(false);
    one.destroy();
  });

  it('never handles a request after a response that ends the connection', async () => {
    handle = (_request, response) => response.setHeader('Connection', 'close').end('x'.repeat(1_000_000));
    const socket = await openSocket(port);
    socket.resume();
    const isClosed = closed(socket);
    socket.write(get('1') + get('2'));
    await isClosed;
    expect(paths()).to.deep.equal(['/1']);
  });

  it('begins no request of a connection that is closed while the next one waits for its turn', async () => {
    handle = (_request, response) => {
      response.once('close', () => connections.closeWhere(() => true));
      response.end();
    };
    await exchangeUntilClosed(port, get('1') + get('2'));
    expect(paths()).to.deep.equal(['/1']);
  });

  describe('if a caller does not read its response', () => {
    it('closes the connection', async () => {
      const length = 20_000_000;
      handle = (_request, response) => response.end('x'.repeat(length));
      const socket = await openSocket(port);
      socket.pause();
      socket.write(get(''));
      await hasBegun(1);
      await once(begun[0]?.request.socket ?? expect.fail(), 'close');
      let received = 0;
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      await closed(socket);
      expect(received).to.be.lessThan(length);
    });

    it('keeps the connection of a caller that reads and stays connected', async () => {
      handle = (_request, response) => response.end('{}');
      const socket = await openSocket(port);
      for (let request = 0; request < 2; request += 1) {
        socket.write(get(''));
        await once(socket, 'data');
        await sleep(READING_MS);
      }
      expect(socket.destroyed).to.equal(false);
      handle = (_request, response) => response.setHeader('Content-Length', 2).end('{}');
      expect((await exchange(port, get(''))).status).to.equal(200);
      socket.destroy();
    });

    describe('with many such callers', () => {
      /** Exceeds the socket buffers of both ends; three fit the limit. */
      const UNREAD = 'x'.repeat(MAX_UNREAD_BYTES / 3 - 1000);

      beforeEach(async () => {
        await connections.stop(0);
        await serve();
      });

      /** Requests without reading. @returns both ends of the connection */
      async function leaveUnread(result: (response: ServerResponse) => void) {
        const count = begun.length + 1;
        const socket = await openSocket(port);
        socket.pause();
        socket.write(get(''));
        await hasBegun(count);
        const { request, response } = begun[count - 1] ?? expect.fail();
        result(response);
        return { socket, served: request.socket };
      }

      const warnings = () => log.events.filter(({ message }) => message.includes('responses were not read'));

      it('closes the oldest connections, and throttles the log', async () => {
        const unread = [];
        for (let count = 0; count < 5; count += 1) unread.push(await leaveUnread((response) => response.end(UNREAD)));
        expect(unread.map(({ served }) => served.destroyed)).to.deep.equal([true, true, false, false, false]);
        expect(warnings().map(({ facts }) => facts)).to.deep.equal([
          { count: 1, closed: 1, maxUnreadBytes: MAX_UNREAD_BYTES, lastAddress: '127.0.0.1' },
        ]);
        for (const { socket } of unread) socket.destroy();
      });

      it('does not count responses that were read, or whose connection was closed', async () => {
        const read = await leaveUnread((response) => response.end(UNREAD));
        const { response: responded } = begun[0] ?? expect.fail();
        const isOver = once(responded, 'close');
        read.socket.resume();
        await isOver;
        const gone = await leaveUnread((response) => response.end(UNREAD));
        const isGone = new Promise((resolve) => gone.served.once('close', resolve));
        gone.socket.destroy();
        await isGone;
        const unread = [];
        for (let count = 0; count < 3; count += 1) unread.push(await leaveUnread((response) => response.end(UNREAD)));
        expect([read, ...unread].map(({ served }) => served.destroyed)).to.deep.equal([false, false, false, false]);
        expect(warnings()).to.deep.equal([]);
        for (const { socket } of [read, ...unread]) socket.destroy();
      });
    });
  });
});
