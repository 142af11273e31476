import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { observeHandshakes } from '../../../../../src/adapters/http/tls/handshakes.ts';

/** A socket with fixed addresses and ports. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 50_000;
  readonly localAddress = '127.0.0.1';
  readonly localPort = 443;

  disableRenegotiation(): void {}
}

describe('observeHandshakes', () => {
  let server: EventEmitter;
  let now: number;
  let reported: number[];

  beforeEach(() => {
    server = new EventEmitter();
    now = 0;
    reported = [];
    observeHandshakes(server as unknown as Parameters<typeof observeHandshakes>[0], {
      now: () => now,
      opened: (_socket: TLSSocket, openedAt: number) => reported.push(openedAt),
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

  it('reports when the connection was opened, not when its handshake ended', () => {
    openedAt(5);
    now = 9;
    shakeHands();
    expect(reported).to.deep.equal([5]);
  });

  it('identifies a connection even if an earlier one from the same address and port closes after it', () => {
    const before = openedAt(5);
    const socket = openedAt(7);
    before.emit('close');
    shakeHands();
    expect(reported).to.deep.equal([7]);
    socket.emit('close');
    shakeHands();
    expect(reported).to.deep.equal([7, Number.NEGATIVE_INFINITY]);
  });
});
