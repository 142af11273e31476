import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ClientTrust } from '../../../../../src/adapters/driving/http/tls/client-trust.ts';
import type { TlsFileNames } from '../../../../../src/adapters/driving/http/tls/tls-files.ts';
import { Authority } from '../../../../api/make-authority.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

describe('ClientTrust', () => {
  let folder: string;
  let caFile: string;
  let authority: Authority;
  let clock: FixedClock;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-client-trust-'));
    caFile = join(folder, 'ca.pem');
    authority = new Authority(folder, 'authority');
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    clock = new FixedClock(new Date().toISOString());
  });

  function trustIn(trusted: TlsFileNames): ClientTrust {
    copyFileSync(trusted.certFile, caFile);
    return new ClientTrust({ caFile, fingerprintsFile: null }, clock, new RecordingServiceLog());
  }

  const certificateIn = ({ certFile }: TlsFileNames) => new X509Certificate(readFileSync(certFile));

  /** A connection on which OpenSSL took this certificate. */
  function showing(files: TlsFileNames): TLSSocket {
    const certificate = certificateIn(files);
    return { authorized: true, getPeerX509Certificate: () => certificate } as unknown as TLSSocket;
  }

  it('has nobody connect again while no authority was taken away, whenever the connection was opened', () => {
    const desk = new Authority(folder, 'desk', authority);
    const socket = showing(desk.issue('of-desk', { name: '/CN=bot-1' }));
    const trust = trustIn(authority);
    trust.opened(socket, Number.NEGATIVE_INFINITY);
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
  });

  it('has those connect again whose authority gave way to another one of the same name, with no key identifier to tell them apart', () => {
    const elsewhere = mkdtempSync(join(folder, 'same-'));
    const same = new Authority(elsewhere, 'authority', undefined, { hasKeyId: false });
    const bot = authority.issue('of-before', { name: '/CN=bot-1' });
    expect(certificateIn(bot).checkIssued(certificateIn(same))).to.equal(true);
    const socket = showing(bot);
    const trust = trustIn(authority);
    trust.opened(socket, clock.monotonic());
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
    copyFileSync(same.certFile, caFile);
    trust.reload();
    expect(trust.identify(socket)).to.deep.equal({ fault: 'CLIENT_CERTIFICATE_UNTRUSTED', problem: 'CONNECT_AGAIN' });
  });
});
