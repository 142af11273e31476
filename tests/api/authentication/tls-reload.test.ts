import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { expect } from 'chai';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { type MadeCertificate, makeCertificate, TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { openTls, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const STATUS = 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n';
const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));

describe('The TLS certificate', () => {
  let folder: string;
  let first: MadeCertificate;
  let second: MadeCertificate;
  let files: { readonly certFile: string; readonly keyFile: string };
  let service: RunningService;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-tls-'));
    first = makeCertificate(folder, 'first', 30);
    second = makeCertificate(folder, 'second', 60);
    files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  });
  after(() => rmSync(folder, { recursive: true }));

  beforeEach(async () => {
    put(first);
    service = await startService({ tls: files });
    service.clock.set(Date.now());
  });
  afterEach(() => service.close());

  const handshake = (options: ConnectionOptions = {}) => openTls(service.port, options);

  function put(made: MadeCertificate): void {
    copyFileSync(made.certFile, files.certFile);
    copyFileSync(made.keyFile, files.keyFile);
  }

  /** The certificate on a new connection. */
  async function shownCertificate(): Promise<string> {
    const socket = await handshake();
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  async function tlsStatus(): Promise<JsonObject> {
    const socket = await handshake();
    socket.write(STATUS);
    const data = expectData(await readResponse(socket));
    socket.destroy();
    return data['tls'] as JsonObject;
  }

  function errors(): readonly string[] {
    return service.log.events.filter(({ level }) => level === 'error').map(({ message }) => message);
  }

  it('is used for new connections once reloaded, and open connections continue', async () => {
    const open = await handshake();
    open.write(STATUS);
    expectData(await readResponse(open));
    put(second);
    service.tls?.reload('signal');

    open.removeAllListeners('data');
    open.write(SIGN);
    expect(expectData(await readResponse(open))).to.have.property('signature');
    expect(open.getPeerCertificate().fingerprint256).to.equal(first.fingerprint);
    expect(await shownCertificate()).to.equal(second.fingerprint);
    expect(errors()).to.deep.equal([]);
    open.destroy();
  });

  it('is loaded when its files change and are watched', async () => {
    await service.close();
    service = await startService({ tls: files, watch: true });
    put(second);
    while ((await shownCertificate()) !== second.fingerprint) await sleep(20);
  });

  it('stays in use until both new files exist', async () => {
    for (const name of ['certFile', 'keyFile'] as const) {
      put(first);
      service.tls?.reload('signal');
      copyFileSync(second[name], files[name]);
      service.tls?.reload('signal');
      expect(await shownCertificate(), name).to.equal(first.fingerprint);
      expect(errors().at(-1), name).to.include(files.certFile).and.include(files.keyFile);
      expect((await tlsStatus())['lastReload'], name)
        .to.include({ at: new Date(service.clock.now()).toISOString(), outcome: 'failed' })
        .and.to.have.property('message')
        .that.includes('does not belong to the certificate');

      const other = name === 'certFile' ? 'keyFile' : 'certFile';
      copyFileSync(second[other], files[other]);
      service.tls?.reload('signal');
      expect(await shownCertificate(), name).to.equal(second.fingerprint);
      expect((await tlsStatus())['lastReload'], name).to.deep.include({ outcome: 'success' });
    }
  });

  it('stays in use if its files are missing, empty, truncated or invalid', async () => {
    const damages: readonly (() => void)[] = [
      () => rmSync(files.certFile),
      () => writeFileSync(files.keyFile, ''),
      () => writeFileSync(files.certFile, '-----BEGIN CERTIFICATE-----\nMIIB'),
    ];
    for (const damage of damages) {
      damage();
      service.tls?.reload('signal');
      expect(await shownCertificate()).to.equal(first.fingerprint);
      expect((await tlsStatus())['lastReload']).to.include({ outcome: 'failed' });
      put(first);
    }
    expect(errors()).to.have.lengthOf(damages.length);
  });

  it('stays in use if the new one has expired', async () => {
    put(second);
    service.tls?.reload('signal');
    put(first);
    service.clock.advance(40 * DAY_MS);
    service.tls?.reload('signal');
    expect(await shownCertificate()).to.equal(second.fingerprint);
    expect((await tlsStatus())['lastReload'])
      .to.include({ outcome: 'failed' })
      .and.to.have.property('message')
      .that.includes('expired');
  });

  it('is replaced even by an expired one if it has itself expired', async () => {
    service.clock.advance(100 * DAY_MS);
    put(second);
    service.tls?.reload('signal');
    expect(await shownCertificate()).to.equal(second.fingerprint);
  });

  it('is shown in the status with validity, fingerprint, days left, load time and last reload', async () => {
    const { certificate, loadedAt, lastReload } = await tlsStatus();
    expect(certificate).to.have.all.keys('notBefore', 'notAfter', 'fingerprint256', 'daysLeft');
    const { notBefore, notAfter, fingerprint256, daysLeft } = certificate as JsonObject;
    expect(fingerprint256).to.equal(first.fingerprint);
    expect(new Date(String(notBefore)).toISOString()).to.equal(notBefore);
    expect(Date.parse(String(notAfter)) - Date.parse(String(notBefore))).to.equal(30 * DAY_MS);
    expect(daysLeft).to.equal(29);
    expect(loadedAt).to.equal('2026-11-20T08:49:00.000Z');
    expect(lastReload).to.equal(null);

    service.clock.advance(30 * DAY_MS);
    expect((await tlsStatus())['certificate']).to.include({ daysLeft: -1 });
  });

  it('is logged by the expiry check: a warning below 14 days left, an error once expired', () => {
    const logged = () => {
      service.log.events.length = 0;
      service.tls?.check();
      return service.log.events.map(({ level, message, facts }) => [level, message, facts['daysLeft']]);
    };
    expect(logged()).to.deep.equal([]);
    service.clock.advance(15 * DAY_MS);
    expect(logged()).to.deep.equal([]);
    service.clock.advance(DAY_MS);
    expect(logged()).to.deep.equal([['warn', 'The HTTPS certificate expires soon. Renew it.', 13]]);
    service.clock.advance(14 * DAY_MS);
    const [expired] = logged();
    expect(expired?.[0]).to.equal('error');
    expect(expired?.[1]).to.include(files.certFile).and.include('expired on');
  });

  it('is retried until its validity period begins, and logs a failure once', async () => {
    copyFileSync(TEST_CERTIFICATE.certFile, files.certFile);
    copyFileSync(TEST_CERTIFICATE.keyFile, files.keyFile);
    service.tls?.reload('signal');
    const issued = Date.parse(new X509Certificate(readFileSync(second.certFile)).validFrom);
    service.clock.set(issued - 90_000);
    put(second);
    service.tls?.reload('signal');
    service.clock.advance(60_000);
    service.tls?.reload('retry');
    expect(await shownCertificate()).to.not.equal(second.fingerprint);
    expect(errors()).to.have.lengthOf(1);
    expect(errors()[0]).to.include('not valid');
    service.clock.advance(60_000);
    service.tls?.reload('retry');
    expect(await shownCertificate()).to.equal(second.fingerprint);
    const { loadedAt } = await tlsStatus();
    service.clock.advance(60_000);
    service.tls?.reload('retry');
    expect((await tlsStatus())['loadedAt']).to.equal(loadedAt);
  });

  it('logs a different failure, and every failure of a requested reload', () => {
    rmSync(files.keyFile);
    service.tls?.reload('signal');
    service.tls?.reload('retry');
    expect(errors()).to.have.lengthOf(1);
    service.tls?.reload('signal');
    expect(errors()).to.have.lengthOf(2);
    rmSync(files.certFile);
    service.tls?.reload('retry');
    expect(errors()).to.have.lengthOf(3);
  });

  it('is served over TLS 1.3 if supported, else 1.2, never below, also after a reload', async () => {
    put(second);
    for (const prepare of [() => undefined, () => service.tls?.reload('signal')]) {
      prepare();
      const modern = await handshake({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' });
      expect(modern.getProtocol()).to.equal('TLSv1.3');
      modern.destroy();
      const older = await handshake({ maxVersion: 'TLSv1.2' });
      expect(older.getProtocol()).to.equal('TLSv1.2');
      older.destroy();
      const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      const refusal = await handshake(old).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      );
      expect(refusal).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    }
  });
});
