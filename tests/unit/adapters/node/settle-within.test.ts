import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { settleWithin } from '../../../../src/adapters/node/settle-within.ts';

const NEVER = new Promise<never>(() => undefined);

describe('settleWithin', () => {
  it('resolves to what late returns if the work takes longer', async () => {
    expect(await settleWithin(1, NEVER, () => 'late')).to.equal('late');
  });

  it('rejects with what late throws if the work takes longer', async () => {
    const failed = await settleWithin(1, NEVER, () => {
      throw new Error('late');
    }).catch(String);
    expect(failed).to.equal('Error: late');
  });

  it('resolves to a reply that came in time while this process was busy', async () => {
    const server = createServer((peer) => peer.end('reply')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
      const reply = settleWithin(100, once(socket, 'data'), () => 'late');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      expect(String(await reply)).to.equal('reply');
    } finally {
      socket.destroy();
      server.close();
    }
  });
});
