import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ClientTrust, certificateName } from '../../../../../src/adapters/http/tls/client-trust.ts';
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

/** A certificate with these names, in Node's form. */
function certificate(subjectAltName: string | undefined, CN: string | readonly string[] = 'common'): X509Certificate {
  return { subjectAltName, toLegacyObject: () => ({ subject: { CN } }) } as unknown as X509Certificate;
}

describe('The name in a certificate', () => {
  it('is missing if Node had to quote a name, which could contain others', () => {
    for (const names of ['email:"a, URI:ops, x"', 'DNS:"a\\u0000b", URI:ops', 'URI:ops, email:"a,b"']) {
      expect(certificateName(certificate(names)), names).to.equal(null);
    }
  });

  it('is the common name if no alternative name identifies a caller', () => {
    expect(certificateName(certificate('IP Address:10.0.0.1'))).to.equal('common');
    expect(certificateName(certificate(undefined))).to.equal('common');
    expect(certificateName(certificate(undefined, ['one', 'two']))).to.equal(null);
  });
});
