import { createServer as createPlainServer } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../../src/adapters/http/server.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';

describe('Listening', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  async function messageOf(host: string, port: number): Promise<string> {
    const server = createPlainServer();
    try {
      await listen(server, { host, port });
    } catch (error) {
      expect(error).to.be.instanceOf(Error);
      return (error as Error).message;
    } finally {
      server.close();
    }
    throw new Error('It listens.');
  }

  it('resolves to the address, with the port that the system assigned', async () => {
    const server = createPlainServer();
    const { address, port } = await listen(server, { host: '127.0.0.1', port: 0 });
    expect(address).to.equal('127.0.0.1');
    expect(port).to.be.greaterThan(0);
    server.close();
  });

  it('names SIGNING_PORT if the port is in use', async () => {
    const message = await messageOf('127.0.0.1', service.port);
    expect(message).to.include('SIGNING_PORT').and.include(String(service.port)).and.include('in use');
  });

  it('names SIGNING_HOST if the address is not local', async () => {
    expect(await messageOf('192.0.2.1', 0))
      .to.include('SIGNING_HOST')
      .and.include('192.0.2.1');
  });

  const reported: readonly (readonly [code: string, setting: string])[] = [
    ['ENOTFOUND', 'SIGNING_HOST'],
    ['EAI_AGAIN', 'SIGNING_HOST'],
    ['EACCES', 'SIGNING_PORT'],
  ];
  for (const [code, setting] of reported) {
    it(`names ${setting} if the system reports ${code}`, async () => {
      const server = createPlainServer();
      const listening = listen(server, { host: '127.0.0.1', port: 0 });
      const cause = Object.assign(new Error('as the system says it'), { code });
      server.emit('error', cause);
      const error = await listening.then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error?.message).to.include(setting);
      expect(error?.cause).to.equal(cause);
      server.close();
    });
  }
});
