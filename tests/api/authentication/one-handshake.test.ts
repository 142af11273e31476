import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { startService } from '../../harness/running-service.ts';
import { sharedAuthorities } from '../../harness/test-authority.ts';
import { useNewService } from '../../harness/use-service.ts';
import { useTrustFiles } from './trust-files.ts';

const ASK = 'GET /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** OpenSSL's client ends with the connection, so this is for a failure alone, milliseconds. */
const TIMEOUT_MS = 5000;

describe('A TLS connection', () => {
  const { authority, bot } = sharedAuthorities();
  const files = useTrustFiles();
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-handshakes-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const service = useNewService(() => {
    files.trust(authority);
    return startService({ tls: TEST_CERTIFICATE, clients: files.names(false) });
  });
  beforeEach(() => service.clock.set(Date.now()));

  /** What OpenSSL's client prints when it sends this. */
  function connect(input: string, ...options: readonly string[]): Promise<string> {
    const to = ['-connect', `127.0.0.1:${service.port}`, '-cert', bot.certFile, '-key', bot.keyFile];
    return new Promise((resolve) => {
      const child = execFile(
        'openssl',
        ['s_client', ...to, ...options],
        { timeout: TIMEOUT_MS },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      );
      if (input === '') child.stdin?.end();
      else child.stdin?.write(input);
    });
  }

  /** How each handshake was made. */
  const handshakes = (printed: string) => [...printed.matchAll(/^(New|Reused), TLSv1\.\d/gm)].map(([, how]) => how);

  for (const version of ['-tls1_2', '-tls1_3']) {
    it(`is made by a full handshake, also with a session of an earlier one (${version})`, async () => {
      const session = join(folder, 'session.pem');
      for (const keep of [
        ['-sess_out', session],
        ['-sess_in', session],
      ] as const) {
        const printed = await connect(ASK, version, ...keep);
        expect(printed).to.include('HTTP/1.1 200 OK');
        expect(handshakes(printed)).to.deep.equal(['New']);
      }
      const again = await connect('', version, '-reconnect');
      expect(new Set(handshakes(again))).to.deep.equal(new Set(['New']));
    });
  }

  it('has no second handshake (renegotiation, TLS 1.2)', async () => {
    expect(await connect('R\n', '-tls1_2'))
      .to.include('RENEGOTIATING')
      .and.include('no renegotiation');
    expect(await connect(ASK)).to.include('HTTP/1.1 200 OK');
  });
});
