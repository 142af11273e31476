import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { makeCertificate } from '../harness/certificates.ts';
import { Workplace } from '../harness/service-process.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const FIXTURES = join(PROJECT_ROOT, 'tests/fixtures');

describe('The service over HTTPS', () => {
  const place = new Workplace({ SIGNING_WATCH: 'true' });
  const certFile = place.path('tls.crt');
  const keyFile = place.path('tls.key');
  Object.assign(place.environment, { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile });

  before(async () => {
    copyFileSync(resolve(FIXTURES, 'localhost-test-only.cert.pem'), certFile);
    copyFileSync(resolve(FIXTURES, 'localhost-test-only.key.pem'), keyFile);
    await place.prepare('init');
  });
  after(() => place.remove());

  /** Status data, from a client that trusts only this certificate. */
  async function status(url: string) {
    const result = await new Promise<string>((done, fail) => {
      const options = { ca: readFileSync(certFile), servername: 'localhost', agent: false };
      request(`${url}/api/v1/status`, options, (response) => done(text(response)))
        .on('error', fail)
        .end();
    });
    return JSON.parse(result).data;
  }

  it('is used once certificate and key are set, and picks up replaced files', async () => {
    const service = await place.startHere();
    expect(service.url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect((await status(service.url)).accounts.total).to.equal(0);

    const next = makeCertificate(place.folder, 'next', 30);
    renameSync(next.keyFile, keyFile);
    renameSync(next.certFile, certFile);
    let tls = null;
    while (tls?.lastReload?.outcome !== 'success') {
      await sleep(50);
      // The old certificate fails with clients that trust the new one.
      tls = (await status(service.url).catch(() => null))?.tls ?? null;
    }
    expect(tls.certificate.fingerprint256).to.equal(next.fingerprint);
    await service.stop();
  });
});
