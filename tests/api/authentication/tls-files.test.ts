import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readTlsFiles } from '../../../src/adapters/http/tls/tls-files.ts';
import { ENCRYPTED_KEY_FILE, OTHER_KEY_FILE, TEST_CERTIFICATE } from '../../harness/certificates.ts';

const { certFile, keyFile } = TEST_CERTIFICATE;
const [CERTIFICATE, KEY] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
const DAMAGED = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const SECRET = 'c2VjcmV0LWtleS1ieXRlcw';
const MAX = 1024 ** 2;

describe('The TLS certificate and key files', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-tls-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function write(content: string): string {
    const file = join(folder, 'written.pem');
    writeFileSync(file, content);
    return file;
  }

  it('are loaded if they match', () => {
    const { cert, key } = readTlsFiles({ certFile, keyFile });
    expect([cert.toString(), key.toString()]).to.deep.equal([CERTIFICATE, KEY]);
  });

  it('may contain a certificate chain, up to 1 MiB', () => {
    const chain = CERTIFICATE.repeat(2).padEnd(MAX, '\n');
    expect(readTlsFiles({ certFile: write(chain), keyFile }).cert).to.have.lengthOf(MAX);
  });

  const wrong: readonly (readonly [name: string, certificate: string | null, key: string | null, reason: string])[] = [
    ['a certificate file over 1 MiB', CERTIFICATE.padEnd(MAX + 1, '\n'), null, 'too large'],
    ['an empty certificate file', '', null, 'PEM certificate'],
    ['the key as certificate', KEY, null, 'PEM certificate'],
    ['a damaged certificate', DAMAGED, null, 'PEM certificate'],
    ['a damaged certificate in the chain', `${CERTIFICATE}${DAMAGED}`, null, ''],
    ['the certificate as key', null, CERTIFICATE, ''],
    ['a damaged key', null, `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`, ''],
    ['an encrypted key', null, readFileSync(ENCRYPTED_KEY_FILE, 'utf8'), 'encrypted'],
    [
      'an encrypted key in the older form',
      null,
      '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAA==\n',
      'encrypted',
    ],
    [
      'the key of another certificate',
      null,
      readFileSync(OTHER_KEY_FILE, 'utf8'),
      `${certFile} (SIGNING_TLS_CERT_FILE)`,
    ],
  ];
  for (const [name, certificate, key, reason] of wrong) {
    it(`are rejected with setting, path and reason, and without content: ${name}`, () => {
      const written = write(certificate ?? key ?? '');
      const files = certificate === null ? { certFile, keyFile: written } : { certFile: written, keyFile };
      const setting = certificate === null ? 'SIGNING_TLS_KEY_FILE: ' : 'SIGNING_TLS_CERT_FILE: ';
      expect(() => readTlsFiles(files))
        .to.throw()
        .with.property('message')
        .that.satisfies((message: string) => message.startsWith(setting))
        .and.includes(written)
        .and.includes(reason)
        .and.not.includes(SECRET);
    });
  }

  it('are rejected with setting, path and reason if one is missing or a folder', () => {
    const missing = join(folder, 'missing.pem');
    expect(() => readTlsFiles({ certFile: missing, keyFile })).to.throw(
      `SIGNING_TLS_CERT_FILE: ${missing}: no such file`,
    );
    expect(() => readTlsFiles({ certFile, keyFile: folder })).to.throw(
      `SIGNING_TLS_KEY_FILE: ${folder}: it is a folder`,
    );
  });
});
