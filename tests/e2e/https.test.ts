import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Workplace } from './service-process.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures');

describe('The service over HTTPS', () => {
  const certFile = resolve(FIXTURES, 'localhost-test-only.cert.pem');
  const place = new Workplace({
    SIGNING_TLS_CERT_FILE: certFile,
    SIGNING_TLS_KEY_FILE: resolve(FIXTURES, 'localhost-test-only.key.pem'),
  });

  after(() => place.remove());

  it('is what it is once certificate and key are set', async () => {
    await place.done('init');
    const service = await place.start();
    expect(service.url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    const answer = await new Promise<string>((done, fail) => {
      const options = { ca: readFileSync(certFile), servername: 'localhost' };
      request(`${service.url}/api/v1/status`, options, (response) => done(text(response)))
        .on('error', fail)
        .end();
    });
    expect(JSON.parse(answer).data.status).to.equal('healthy');
    expect((await service.stop()).exitCode).to.equal(0);
  });
});
