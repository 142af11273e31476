import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { type ConnectionOptions, connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import request from 'supertest';
import { expectData, expectError, expectIssues } from './envelope-checks.ts';
import { type RunningService, startService } from './harness.ts';
import { closed, readResponse } from './raw-client.ts';
import { DATA_A } from './sample-accounts.ts';
import { TEST_CERTIFICATE } from './test-certificate.ts';

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

  /** OpenSSL 3 refuses to speak TLS 1.1 at its usual security level: the client lowers its own to see what the server does. */
  const speaking = (version: SecureVersion): ConnectionOptions => ({
    minVersion: version,
    maxVersion: version,
    ciphers: 'DEFAULT@SECLEVEL=0',
  });

  it('serves the same application to a client that checks the certificate', async () => {
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

  it('goes on with the handshakes and requests of others while it closes connections that pipeline too much', async () => {
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
    it(`speaks ${version}`, async () => {
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

  it('cuts off a client that speaks plain HTTP, and goes on', async () => {
    const socket = connectPlain({ host: '127.0.0.1', port: service.port });
    socket.on('error', () => undefined);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await closed(socket);
    expect(Buffer.concat(received).toString('latin1')).not.to.include('HTTP/1.1 200');
    expectData(await request(`https://localhost:${service.port}`).get('/api/v1/status').ca(CA));
  });

  it('answers a broken request in the envelope', async () => {
    const socket = await handshake();
    const response = readResponse(socket);
    socket.write('nonsense\r\n\r\n');
    expect(expectIssues(await response)).to.deep.equal(['']);
    await closed(socket);
  });

  it('stops at once when every connection is idle', async () => {
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
