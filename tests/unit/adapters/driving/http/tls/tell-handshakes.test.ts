import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { tellHandshakes } from '../../../../../../src/adapters/driving/http/tls/tell-handshakes.ts';

/** One end of a connection between the same two addresses and ports as every other. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 50_000;
  readonly localAddress = '127.0.0.1';
  readonly localPort = 443;

  disableRenegotiation(): void {}
}

describe('tellHandshakes', () => {
  let server: EventEmitter;
  let now: number;
  let told: number[];

  beforeEach(() => {
    server = new EventEmitter();
    now = 0;
    told = [];
    tellHandshakes(server as unknown as Parameters<typeof tellHandshakes>[0], {
      now: () => now,
      opened: (_socket: TLSSocket, openedAt: number) => told.push(openedAt),
    });
  });

  function openedAt(time: number): Socket {
    now = time;
    const socket = new FakeSocket();
    server.emit('connection', socket);
    return socket as unknown as Socket;
  }

  function shakeHands(): void {
    server.emit('secureConnection', new FakeSocket());
  }

  it('tells when the connection was opened, not when its handshake was over', () => {
    openedAt(5);
    now = 9;
    shakeHands();
    expect(told).to.deep.equal([5]);
  });

  it('knows a connection also where one of before, from the same address and port, is seen to close after it came', () => {
    const before = openedAt(5);
    const socket = openedAt(7);
    before.emit('close');
    shakeHands();
    expect(told).to.deep.equal([7]);
    socket.emit('close');
    shakeHands();
    expect(told).to.deep.equal([7, Number.NEGATIVE_INFINITY]);
  });
});
