import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { type ConnectionOptions, connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import request from 'supertest';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { closed, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const CA = readFileSync(TEST_CERTIFICATE.certFile);

describe('HTTPS', () => {
  let service: RunningService;

  beforeEach(async () => {
    service = await startService({ tls: TEST_CERTIFICATE });
  });
  afterEach(() => service.close());

  function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: service.port, ca: CA, ...options }, () => {
        socket.removeListener('error', reject);
        socket.on('error', () => undefined);
        resolve(socket);
      });
      socket.once('error', reject);
    });
  }

  /**
   * OpenSSL 3 refuses TLS 1.1 by default: the client lowers its security level to test the server.
   */
  const speaking = (version: SecureVersion): ConnectionOptions => ({
    minVersion: version,
    maxVersion: version,
    ciphers: 'DEFAULT@SECLEVEL=0',
  });

  it('serves the same application to a client that verifies the certificate', async () => {
    const sign = await request(`https://localhost:${service.port}`)
      .post('/api/v1/sign')
      .ca(CA)
      .send({ platformId: 'alpha', accountId: 'main', data: DATA_A });
    expect(expectData(sign)).to.have.property('signature');
    const unknown = await request(`https://127.0.0.1:${service.port}`).get('/nothing').ca(CA);
    expectError(unknown, 404, 'NOT_FOUND');
    for (const { headers } of [sign, unknown]) {
      expect(headers['strict-transport-security']).to.equal('max-age=31536000; includeSubDomains');
    }
    expect(service.records.entries[0]?.remoteAddress).to.equal('127.0.0.1');
  });

  it('serves other connections while it closes those that pipeline too much', async () => {
    const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const kept = await handshake();
    const flood = async () => {
      const socket = await handshake();
      const isClosed = closed(socket);
      socket.write(get.repeat(2000));
      socket.resume();
      await isClosed;
    };
    const ask = async (socket: TLSSocket) => {
      const response = readResponse(socket);
      socket.write(get);
      expect((await response).status).to.equal(200);
      socket.removeAllListeners('data');
    };
    const floods = Array.from({ length: 10 }, flood);
    const others = Array.from({ length: 20 }, async () => {
      const socket = await handshake();
      await ask(socket);
      socket.destroy();
    });
    for (let count = 0; count < 20; count += 1) await ask(kept);
    await Promise.all([...floods, ...others]);
    kept.destroy();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`accepts ${version}`, async () => {
      const socket = await handshake(speaking(version));
      expect(socket.getProtocol()).to.equal(version);
      socket.destroy();
    });
  }

  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    it(`refuses ${version}`, async () => {
      const refusal = await handshake(speaking(version)).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error,
      );
      expect(refusal?.code).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    });
  }

  it('closes a plain HTTP connection and keeps serving', async () => {
    const socket = connectPlain({ host: '127.0.0.1', port: service.port });
    socket.on('error', () => undefined);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed(socket);
    expect(Buffer.concat(received).toString('latin1')).not.to.include('HTTP/1.1 200');
    expectData(await request(`https://localhost:${service.port}`).get('/api/v1/status').ca(CA));
  });

  it('responds to a malformed request in the envelope', async () => {
    const socket = await handshake();
    const response = readResponse(socket);
    socket.write('nonsense\r\n\r\n');
    expect(expectIssues(await response)).to.deep.equal(['']);
    await closed(socket);
  });

  it('stops at once if every connection is idle', async () => {
    const used = await handshake();
    used.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expectData(await readResponse(used));
    const unused = await handshake();
    const silent = connectPlain({ host: '127.0.0.1', port: service.port });
    await new Promise((resolve) => silent.once('connect', resolve));
    const stopped = service.stoppable.stop(60_000);
    await Promise.all([closed(used), closed(unused), closed(silent)]);
    expect(await stopped).to.equal(true);
  });
});
