import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { ConnectionTurns } from '../../../../../../src/adapters/driving/http/overload/connection-turns.ts';

/** Closed, as Node's own, by the time it says so. */
function responseOn(socket: object): ServerResponse {
  const response = Object.assign(new EventEmitter(), { req: { socket }, closed: false });
  response.once('close', () => {
    response.closed = true;
  });
  return response as unknown as ServerResponse;
}

/** As many turns of the event loop as one request waits for after the one before it. */
async function laterTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('ConnectionTurns', () => {
  let turns: ConnectionTurns;
  let begun: string[];

  beforeEach(() => {
    turns = new ConnectionTurns();
    begun = [];
  });

  function take(name: string, socket: object): ServerResponse {
    const response = responseOn(socket);
    turns.take(response, () => begun.push(name));
    return response;
  }

  it('begins the requests of a connection in their order, each when the one before it is answered', async () => {
    const socket = { destroyed: false } as Socket;
    const [first, second] = [take('first', socket), take('second', socket)];
    take('third', socket);
    expect(begun).to.deep.equal(['first']);
    first.emit('close');
    await laterTurns();
    expect(begun).to.deep.equal(['first', 'second']);
    second.emit('close');
    await laterTurns();
    expect(begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('begins those of other connections at once, and of this one when all are answered', async () => {
    const socket = { destroyed: false } as Socket;
    const first = take('first', socket);
    take('other', { destroyed: false });
    expect(begun).to.deep.equal(['first', 'other']);
    first.emit('close');
    await laterTurns();
    take('later', socket);
    expect(begun).to.deep.equal(['first', 'other', 'later']);
  });

  it('is told of no end that no other request waits for', async () => {
    const socket = { destroyed: false };
    const first = take('first', socket);
    const heard = first.listenerCount('close');
    expect(heard).to.equal(responseOn(socket).listenerCount('close'));
    take('second', socket);
    expect(first.listenerCount('close')).to.equal(heard + 1);
  });

  it('begins one that waits in a later turn, when all that hear of the end have heard', async () => {
    const socket = { destroyed: false };
    const first = take('first', socket);
    take('second', socket);
    let begunBefore: readonly string[] = [];
    first.once('close', () => {
      begunBefore = [...begun];
    });
    first.emit('close');
    expect(begunBefore).to.deep.equal(['first']);
    expect(begun).to.deep.equal(['first']);
    await laterTurns();
    expect(begun).to.deep.equal(['first', 'second']);
  });

  it('begins none when the connection has closed', async () => {
    const socket = { destroyed: false };
    const first = take('first', socket);
    take('second', socket);
    socket.destroyed = true;
    first.emit('close');
    await laterTurns();
    expect(begun).to.deep.equal(['first']);
  });
});
