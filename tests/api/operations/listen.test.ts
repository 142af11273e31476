import { createServer } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../../src/adapters/http/server.ts';

describe('Listening', () => {
  it('resolves to the address, with the port that the system assigned', async () => {
    const server = createServer();
    const { address, port } = await listen(server, { host: '127.0.0.1', port: 0 });
    expect(address).to.equal('127.0.0.1');
    expect(port).to.be.greaterThan(0);
    server.close();
  });

  it('names SIGNING_HOST if the address is not local', async () => {
    const error = await listen(createServer(), { host: '192.0.2.1', port: 0 }).catch((reason: Error) => reason);
    expect(String(error)).to.include('SIGNING_HOST').and.include('192.0.2.1');
  });

  for (const [code, setting] of [
    ['EADDRINUSE', 'SIGNING_PORT'],
    ['EACCES', 'SIGNING_PORT'],
    ['ENOTFOUND', 'SIGNING_HOST'],
    ['EAI_AGAIN', 'SIGNING_HOST'],
  ] as const) {
    it(`names ${setting} if the system reports ${code}`, async () => {
      const server = createServer();
      const listening = listen(server, { host: '127.0.0.1', port: 0 });
      const cause = Object.assign(new Error('as the system says it'), { code });
      server.emit('error', cause);
      const error = await listening.catch((reason: Error) => reason);
      expect(error).to.have.property('message').that.includes(setting);
      expect(error).to.have.property('cause', cause);
      server.close();
    });
  }
});
