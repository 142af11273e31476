import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { HeldConnections } from '../../../../../../src/adapters/driving/http/overload/held-connections.ts';
import { openSocket } from '../../../../../api/raw-client.ts';

const MANY = 80;
const BODY = 'x'.repeat(1000);
const HEAD = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY.length}\r\n\r\n`;

describe('HeldConnections', () => {
  let server: Server;
  let port: number;
  /** So many are answered together. */
  let atOnce: number;
  let readAt: Map<unknown, number[]>;

  beforeEach(async () => {
    readAt = new Map();
    const waiting: ServerResponse[] = [];
    const held = new HeldConnections();
    server = createServer((request, response) => {
      readAt.set(request.socket, [...(readAt.get(request.socket) ?? []), performance.now()]);
      held.holdAfter(response);
      waiting.push(response);
      if (waiting.length < atOnce) return;
      for (const each of waiting.splice(0)) each.end('no');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [sent, first] of [
    ['with the whole body', HEAD + BODY],
    ['before the body', HEAD],
  ] as const) {
    it(`are read again one after the other, and all of them soon: refused ${sent}`, async () => {
      atOnce = MANY;
      const sockets = await Promise.all(Array.from({ length: MANY }, () => openSocket(port)));
      const answers = sockets.map((socket) => once(socket, 'data'));
      for (const socket of sockets) socket.write(first);
      await Promise.all(answers);
      atOnce = 1;
      const again = sockets.map((socket) => once(socket, 'data'));
      for (const socket of sockets) socket.write(first === HEAD ? BODY + HEAD + BODY : HEAD + BODY);
      await Promise.all(again);
      const times = [...readAt.values()].map(([, second = Number.NaN]) => second).toSorted((one, two) => one - two);
      expect(times).to.have.length(MANY);
      // Ten at a time, every five milliseconds.
      expect(Number(times.at(-1)) - Number(times[0])).to.be.within(20, 5000);
      for (const socket of sockets) socket.destroy();
    });
  }

  it('park requests that come on them, until they are read again', async () => {
    atOnce = 1;
    const held = new HeldConnections();
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      pause: () => undefined,
      resume: () => undefined,
    });
    const response = Object.assign(new EventEmitter(), { req: { socket } });
    expect(held.park(socket as unknown as Socket, () => undefined)).to.equal(false);
    held.holdAfter(response as unknown as ServerResponse);
    response.emit('close');
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    let isParked = false;
    await new Promise<void>((resolve) => {
      isParked = held.park(socket as unknown as Socket, resolve);
    });
    expect(isParked).to.equal(true);
    expect(held.park(socket as unknown as Socket, () => undefined)).to.equal(false);
  });

  it('park requests that come in the turn in which the answer went out', () => {
    const held = new HeldConnections();
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      pause: () => undefined,
      resume: () => undefined,
    });
    const response = Object.assign(new EventEmitter(), { req: { socket } });
    held.holdAfter(response as unknown as ServerResponse);
    expect(held.park(socket as unknown as Socket, () => undefined)).to.equal(false);
    response.emit('close');
    expect(held.park(socket as unknown as Socket, () => undefined)).to.equal(true);
  });

  it('are not held once they are read again, however long the turn took in which the answer went out', async () => {
    const calls: string[] = [];
    const held = new HeldConnections();
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
    });
    const response = Object.assign(new EventEmitter(), { req: { socket } });
    held.holdAfter(response as unknown as ServerResponse);
    await new Promise((resolve) => setImmediate(resolve));
    response.emit('close');
    const isAgain = new Promise<void>((resolve) => {
      held.park(socket as unknown as Socket, resolve);
    });
    // Longer than the time between two looks, which so comes before the next turn.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    await isAgain;
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(calls.at(-1)).to.equal('resume');
  });

  it('forgets those that were closed', async () => {
    atOnce = 1;
    const socket = await openSocket(port);
    const answered = once(socket, 'data');
    socket.write(HEAD + BODY);
    await answered;
    socket.destroy();
    const other = await openSocket(port);
    const answers = once(other, 'data');
    other.write(HEAD + BODY);
    await answers;
    other.destroy();
  });
});
