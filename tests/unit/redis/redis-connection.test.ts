import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { parseRedisUrl } from '../../../src/redis/redis-address.ts';
import { loadRedisClient, RedisConnection } from '../../../src/redis/redis-connection.ts';
import { TEST_CERTIFICATE } from '../../api/test-certificate.ts';

const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

describe('RedisConnection', () => {
  const before = process.env[VARIABLE];
  let server: Server;
  let received: string;

  beforeEach(async () => {
    received = '';
    const files = { cert: readFileSync(TEST_CERTIFICATE.certFile), key: readFileSync(TEST_CERTIFICATE.keyFile) };
    server = createServer(files, (socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          received += chunk.toString();
        });
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
    server.close();
  });

  it('sends nothing to a server whose certificate is not trusted, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    process.env[VARIABLE] = '0';
    const address = parseRedisUrl(`rediss://signing:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}`);
    if (address === null) throw new Error('The address is wrong.');
    const opening = RedisConnection.open(await loadRedisClient(), address, address.credentials(), 1000);
    const fault = await opening.then(
      (connection) => connection.close(),
      ({ message }: Error) => message,
    );
    expect(received).to.equal('');
    expect(fault).to.equal('it can not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });
});
