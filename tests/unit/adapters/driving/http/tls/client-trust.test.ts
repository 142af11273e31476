import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ClientTrust } from '../../../../../../src/adapters/driving/http/tls/client-trust.ts';
import type { TlsFileNames } from '../../../../../../src/adapters/driving/http/tls/tls-files.ts';
import { Authority } from '../../../../../api/make-authority.ts';
import { FixedClock } from '../../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../../doubles/recording-service-log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

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
    return new ClientTrust({ caFile, fingerprintsFile: null }, clock, new RecordingServiceLog(), false);
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

  it('takes certificates no longer than the authority lasts that issued them, on open connections too', () => {
    const short = new Authority(folder, 'short', undefined, { days: 2 });
    const socket = showing(short.issue('of-short', { name: '/CN=bot-1', days: 30 }));
    const trust = trustIn(short);
    trust.opened(socket, clock.monotonic());
    clock.advance(DAY_MS);
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
    clock.advance(DAY_MS + 1000);
    expect(trust.identify(socket)).to.deep.equal({
      fault: 'CLIENT_CERTIFICATE_UNTRUSTED',
      problem: 'CERT_HAS_EXPIRED',
    });
  });

  it('takes them for as long as one authority of them lasts where it was renewed, and for as long as all above it do', () => {
    const root = new Authority(folder, 'root', undefined, { days: 3 });
    const desk = new Authority(folder, 'short-desk', root, { days: 30 });
    const socket = showing(desk.issue('of-short-desk', { name: '/CN=bot-1', days: 30 }));
    const renewed = root.renewed('root-renewed', 10);
    writeFileSync(caFile, [desk, root].map(({ certFile }) => readFileSync(certFile, 'latin1')).join(''));
    const trust = new ClientTrust({ caFile, fingerprintsFile: null }, clock, new RecordingServiceLog(), false);
    trust.opened(socket, clock.monotonic());
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
    clock.advance(5 * DAY_MS);
    expect(trust.identify(socket)).to.include({ problem: 'CERT_HAS_EXPIRED' });
    writeFileSync(caFile, [desk, root, renewed].map(({ certFile }) => readFileSync(certFile, 'latin1')).join(''));
    trust.reload();
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
    clock.advance(6 * DAY_MS);
    expect(trust.identify(socket)).to.include({ problem: 'CERT_HAS_EXPIRED' });
  });
});
