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

  /** A connection on which OpenSSL took this certificate. */
  function showing({ certFile }: TlsFileNames): TLSSocket {
    const certificate = new X509Certificate(readFileSync(certFile));
    return { authorized: true, getPeerX509Certificate: () => certificate } as unknown as TLSSocket;
  }

  it('has nobody connect again while no authority was taken away, whenever the connection was opened', () => {
    const desk = new Authority(folder, 'desk', authority);
    const socket = showing(desk.issue('of-desk', { name: '/CN=bot-1' }));
    const trust = trustIn(authority);
    trust.opened(socket, Number.NEGATIVE_INFINITY);
    expect(trust.identify(socket)).to.deep.equal({ principal: 'bot-1' });
  });
});
