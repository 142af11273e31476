import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { parseRedisUrl } from '../../../../src/adapters/redis/redis-address.ts';
import { loadRedisClient, RedisConnection, replyError } from '../../../../src/adapters/redis/redis-connection.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';

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

/** Error of a command in a script, as Redis 5.0.14 and 6.2.16 send it. */
const inScript = (error: string) =>
  `ERR Error running script (call to f_bfc0314ef6070c6681d405a715d90addb7b22223): @user_script:${error}`;

describe('replyError', () => {
  const OF_COMMAND = {
    NOPERM: 'NOPERM this user has no permissions to access one of the keys used as arguments',
    WRONGTYPE: inScript('1: WRONGTYPE Operation against a key holding the wrong kind of value'),
    ERR: inScript("2: @user_script: 2: The user executing the script can't run this command or subcommand"),
  };
  const OF_SERVER = {
    READONLY: inScript("2: @user_script: 2: -READONLY You can't write against a read only replica."),
    NOREPLICAS: inScript('2: @user_script: 2: -NOREPLICAS Not enough good replicas to write.'),
    OOM: inScript("2: @user_script: 2: -OOM command not allowed when used memory > 'maxmemory'.   "),
    LOADING: 'LOADING Redis is loading the dataset in memory',
    MASTERDOWN: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    MOVED: 'MOVED 3999 127.0.0.1:6381',
    NOAUTH: 'NOAUTH Authentication required.',
  };

  it('keeps the connection only when one command is rejected', () => {
    for (const [code, text] of Object.entries(OF_COMMAND))
      expect(replyError(new Error(text))).to.include({ code, isOfCommand: true });
    for (const [code, text] of Object.entries(OF_SERVER))
      expect(replyError(new Error(text))).to.include({ code, isOfCommand: false });
    expect(replyError(new Error('UNHEARDOF so it is'))).to.include({ code: null, isOfCommand: false });
  });

  it('contains nothing from the reply except a known code', () => {
    for (const text of ['UNHEARDOF h0rse', 'ERR h0rse', 'h0rse', '']) {
      expect(replyError(new Error(text)).message).not.to.match(/h0rse|UNHEARDOF/);
    }
  });
});
