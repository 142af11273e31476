import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { parseRedisUrl } from '../../../../src/adapters/redis/redis-address.ts';
import { loadRedisClient, RedisConnection, replyError } from '../../../../src/adapters/redis/redis-connection.ts';
import { TEST_CERTIFICATE } from '../../../api/harness/certificates.ts';

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

  it('sends nothing to an untrusted server, regardless of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    process.env[VARIABLE] = '0';
    const address = parseRedisUrl(`rediss://signing:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}`);
    if (address === null) throw new Error('The address is wrong.');
    const opening = RedisConnection.open(await loadRedisClient(), address, address.credentials(), 1000);
    const issue = await opening.then(
      (connection) => connection.close(),
      ({ message }: Error) => message,
    );
    expect(received).to.equal('');
    expect(issue).to.equal('unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });
});

describe('replyError', () => {
  const OF_COMMAND = ['NOPERM', 'WRONGTYPE', 'NOSCRIPT', 'OOM', 'MISCONF', 'NOREPLICAS', 'BUSY', 'ERR', 'UNHEARDOF'];
  const OF_SERVER = ['NOAUTH', 'WRONGPASS', 'READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN'];

  for (const code of OF_COMMAND) {
    it(`concerns one command and keeps the connection for ${code}`, () => {
      expect(replyError(new Error(`${code} so it is`)).isOfCommand).to.equal(true);
    });
  }

  for (const code of OF_SERVER) {
    it(`concerns the server for ${code}`, () => {
      expect(replyError(new Error(`${code} so it is`)).isOfCommand).to.equal(false);
    });
  }

  it('contains nothing from the reply except a known code', () => {
    for (const text of ['UNHEARDOF h0rse', 'ERR h0rse', 'h0rse', '']) {
      expect(replyError(new Error(text)).message).not.to.match(/h0rse|UNHEARDOF/);
    }
  });
});
