import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ClientTrust } from '../../../../../src/adapters/http/tls/client-trust.ts';
import type { TlsFileNames } from '../../../../../src/adapters/http/tls/tls-files.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { Authority } from '../../../../harness/test-authority.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('ClientTrust', () => {
  let folder: string;
  let caFile: string;
  let clock: FixedClock;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-client-trust-'));
    caFile = join(folder, 'ca.pem');
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

  /** A connection whose certificate OpenSSL trusts. */
  function showing(files: TlsFileNames): TLSSocket {
    const certificate = certificateIn(files);
    return { authorized: true, getPeerX509Certificate: () => certificate } as unknown as TLSSocket;
  }

  it('rejects certificates once their authority has expired, including on open connections', () => {
    const short = new Authority(folder, 'short', undefined, { days: 2 });
    const socket = showing(short.issue('of-short', { name: '/CN=bot-1', days: 30 }));
    const trust = trustIn(short);
    trust.handshakeEnded(socket);
    clock.advance(DAY_MS);
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
    clock.advance(DAY_MS + 1000);
    expect(trust.identify(socket)).to.deep.equal({
      error: 'CLIENT_CERTIFICATE_UNTRUSTED',
      problem: 'CERT_HAS_EXPIRED',
    });
  });
});
