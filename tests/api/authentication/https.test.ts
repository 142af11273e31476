import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import request from 'supertest';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { closed, exchangeUntilClosed, openTls, readResponse } from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const CA = readFileSync(TEST_CERTIFICATE.certFile);

describe('HTTPS', () => {
  const service = useNewService(() => startService({ tls: TEST_CERTIFICATE }));

  const handshake = () => openTls(service.port, { ca: CA, rejectUnauthorized: true });

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

  it('closes a plain HTTP connection and keeps serving', async () => {
    const received = await exchangeUntilClosed(service.port, 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(received).not.to.include('HTTP/1.1 200');
    expectData(await request(`https://localhost:${service.port}`).get('/api/v1/status').ca(CA));
  });

  it('responds to a malformed request in the envelope', async () => {
    const socket = await handshake();
    const response = readResponse(socket);
    socket.write('nonsense\r\n\r\n');
    expect(expectIssues(await response)).to.deep.equal(['']);
    await closed(socket);
  });
});
