import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readClientTrustFiles } from '../../../../../src/adapters/http/tls/client-trust-files.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { TEST_CERTIFICATE } from '../../../../harness/certificates.ts';
import { Authority } from '../../../../harness/test-authority.ts';

const CERTIFICATE = readFileSync(TEST_CERTIFICATE.certFile, 'latin1');
const FINGERPRINT = `${'AB:'.repeat(31)}CD`;

describe('The files of client certificates', () => {
  let folder: string;
  let caFile: string;
  let fingerprintsFile: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-trust-'));
    caFile = join(folder, 'ca.pem');
    fingerprintsFile = join(folder, 'clients.txt');
    writeFileSync(caFile, CERTIFICATE);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function issueOf(): string {
    try {
      readClientTrustFiles({ caFile, fingerprintsFile }, false);
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as OperatorError).message;
    }
    return expect.fail('The files were taken.');
  }

  it('contain fingerprints with and without colons, as OpenSSL prints them, between comments', () => {
    const other = 'ef'.repeat(32);
    writeFileSync(fingerprintsFile, `# bots\n${FINGERPRINT}\n\nsha256 Fingerprint=${other.toUpperCase()}  # desk 2\n`);
    const { fingerprints } = readClientTrustFiles({ caFile, fingerprintsFile }, false);
    expect([...(fingerprints ?? [])]).to.deep.equal([`${'ab'.repeat(31)}cd`, other]);
  });

  it('are rejected without an authority, or with an unreadable or truncated one, naming it', () => {
    for (const content of ['', 'nothing', '-----BEGIN CERTIFICATE-----\n']) {
      writeFileSync(caFile, content);
      expect(issueOf()).to.include('SIGNING_TLS_CLIENT_CA_FILE').and.include(caFile);
    }
    writeFileSync(caFile, `${CERTIFICATE}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`);
    expect(issueOf()).to.include('block 2 of').and.include(caFile);
    const half = CERTIFICATE.slice(0, CERTIFICATE.length / 2);
    for (const content of [`${CERTIFICATE}\n${half}`, `${half}\n${CERTIFICATE}`]) {
      writeFileSync(caFile, content);
      expect(issueOf()).to.include('SIGNING_TLS_CLIENT_CA_FILE').and.include('not a complete');
    }
  });

  it('are rejected with a block of another label, naming it', () => {
    for (const label of ['X509 CERTIFICATE', 'TRUSTED CERTIFICATE', 'PRIVATE KEY', '']) {
      const other = CERTIFICATE.replaceAll(' CERTIFICATE-----', ` ${label}-----`);
      for (const content of [`${CERTIFICATE}\n${other}`, `${other}\n${CERTIFICATE}`]) {
        writeFileSync(caFile, content);
        const block = content.startsWith(other) ? 1 : 2;
        expect(issueOf()).to.include('SIGNING_TLS_CLIENT_CA_FILE').and.include(`block ${block} of ${caFile}`);
      }
    }
  });

  it('are rejected if a certificate is not an authority, or its issuer is missing', () => {
    const root = new Authority(folder, 'root');
    writeFileSync(caFile, readFileSync(root.issue('leaf', { name: '/CN=leaf' }).certFile));
    expect(issueOf()).to.include('certificate 1 of').and.include('CA:TRUE');
    const desk = new Authority(folder, 'desk', root);
    writeFileSync(caFile, readFileSync(desk.certFile));
    expect(issueOf()).to.include('certificate 1 of').and.include('up to the root');
    writeFileSync(caFile, Buffer.concat([readFileSync(desk.certFile), readFileSync(root.certFile)]));
    expect(readClientTrustFiles({ caFile, fingerprintsFile: null }, false).authorities).to.have.lengthOf(2);
  });

  it('are rejected with an invalid fingerprint, naming its line without quoting it', () => {
    writeFileSync(fingerprintsFile, `${FINGERPRINT}\nnonsense-4711\n`);
    expect(issueOf()).to.include('SIGNING_TLS_CLIENT_FINGERPRINTS_FILE').and.include('line 2').and.not.include('4711');
    for (const line of [FINGERPRINT.slice(3), `${FINGERPRINT}:00`, 'ab'.repeat(20), `${FINGERPRINT} ${FINGERPRINT}`]) {
      writeFileSync(fingerprintsFile, line);
      expect(issueOf(), line).to.include('line 1');
    }
  });

  it('are rejected without fingerprints, or without their file', () => {
    expect(issueOf()).to.include(fingerprintsFile).and.include('no such file');
    writeFileSync(fingerprintsFile, '# none yet\n');
    expect(issueOf()).to.include('SIGNING_TLS_CLIENT_FINGERPRINTS_FILE').and.include('every caller would be rejected');
  });
});
