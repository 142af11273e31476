import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readTlsFiles } from '../../../src/adapters/http/tls/tls-files.ts';
import { OperatorError } from '../../../src/domain/model/errors.ts';
import { ENCRYPTED_KEY_FILE, OTHER_KEY_FILE, TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { programAt } from '../../programs/program.ts';

const { certFile, keyFile } = TEST_CERTIFICATE;
const READER = programAt(new URL('./read-tls-files.ts', import.meta.url));

describe('The TLS certificate and key files', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-tls-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function write(name: string, content: string | Buffer): string {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  function issueOf(files: { certFile: string; keyFile: string }): string {
    try {
      readTlsFiles(files);
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as OperatorError).message;
    }
    throw new Error('The files were taken.');
  }

  it('are loaded if they match', () => {
    const tls = readTlsFiles({ certFile, keyFile });
    expect(tls.cert).to.deep.equal(readFileSync(certFile));
    expect(tls.key).to.deep.equal(readFileSync(keyFile));
    expect(tls.warnings).to.deep.equal([]);
  });

  it('can be created with the command of docs/operators/deploy.md', () => {
    const page = readFileSync(new URL('../../../docs/operators/deploy.md', import.meta.url), 'utf8');
    const command =
      page.split('\n').find((line) => line.startsWith('openssl req -x509') && line.includes('secrets/tls.key')) ??
      expect.fail('It has none.');
    mkdirSync(join(folder, 'secrets'));
    execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'pipe' });
    const made = { certFile: join(folder, 'secrets/tls.crt'), keyFile: join(folder, 'secrets/tls.key') };
    const tls = readTlsFiles(made);
    expect(tls.warnings).to.deep.equal([]);
    expect(new X509Certificate(tls.cert).checkHost('localhost')).to.equal('localhost');
  });

  it('may contain a certificate chain', () => {
    const chain = write('chain.pem', readFileSync(certFile, 'utf8').repeat(2));
    expect(readTlsFiles({ certFile: chain, keyFile }))
      .to.have.property('warnings')
      .that.deep.equals([]);
  });

  it('are rejected with setting and path if one cannot be read', () => {
    const missing = join(folder, 'missing.pem');
    expect(issueOf({ certFile: missing, keyFile }))
      .to.match(/^SIGNING_TLS_CERT_FILE/)
      .and.include(missing);
    expect(issueOf({ certFile, keyFile: missing }))
      .to.match(/^SIGNING_TLS_KEY_FILE/)
      .and.include(missing);
    expect(issueOf({ certFile, keyFile: folder }))
      .to.match(/^SIGNING_TLS_KEY_FILE/)
      .and.include('is a folder');
  });

  it('are rejected without blocking if one is a named pipe', () => {
    const pipe = join(folder, 'pipe.pem');
    execFileSync('mkfifo', [pipe]);
    for (const [setting, files] of [
      ['SIGNING_TLS_CERT_FILE', { certFile: pipe, keyFile }],
      ['SIGNING_TLS_KEY_FILE', { certFile, keyFile: pipe }],
    ] as const) {
      // In its own process, since waiting for a writer would block the test.
      const run = spawnSync(process.execPath, [READER, files.certFile, files.keyFile], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(run.stdout).to.match(new RegExp(`^OperatorError: ${setting}`));
      expect(run.stdout).to.include(`${pipe} is not a regular file`);
    }
  }).timeout(60_000);

  it('are rejected if one exceeds 1 MiB', () => {
    const max = readFileSync(certFile, 'utf8').padEnd(1024 ** 2, '\n');
    expect(readTlsFiles({ certFile: write('large.pem', max), keyFile }).cert).to.have.length(1024 ** 2);
    expect(issueOf({ certFile: write('large.pem', `${max}\n`), keyFile }))
      .to.match(/^SIGNING_TLS_CERT_FILE/)
      .and.include('larger than 1 MiB');
  });

  it('are rejected without a certificate', () => {
    const certificates = {
      'an empty file': '',
      'the key': readFileSync(keyFile),
      'a damaged certificate': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    };
    for (const [name, content] of Object.entries(certificates)) {
      const file = write('wrong.pem', content);
      const issue = issueOf({ certFile: file, keyFile });
      expect(issue, name).to.match(/^SIGNING_TLS_CERT_FILE/);
      expect(issue, name).to.include(file).and.include('PEM certificate');
    }
  });

  it('are rejected if TLS rejects a certificate of the chain', () => {
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const chain = write('chain.pem', `${readFileSync(certFile, 'utf8')}${damaged}`);
    expect(issueOf({ certFile: chain, keyFile }))
      .to.match(/^SIGNING_TLS_CERT_FILE/)
      .and.include(chain);
  });

  it('are rejected without a key, and the message contains no file content', () => {
    const secret = 'c2VjcmV0LWtleS1ieXRlcw';
    const keys = {
      'the certificate': readFileSync(certFile),
      'a damaged key': `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
    };
    for (const [name, content] of Object.entries(keys)) {
      const file = write('wrong.pem', content);
      const issue = issueOf({ certFile, keyFile: file });
      expect(issue, name)
        .to.match(/^SIGNING_TLS_KEY_FILE/)
        .and.include(file);
      expect(issue, name).not.to.include(secret);
    }
  });

  it('are rejected if the key is encrypted', () => {
    const issue = issueOf({ certFile, keyFile: ENCRYPTED_KEY_FILE });
    expect(issue)
      .to.match(/^SIGNING_TLS_KEY_FILE/)
      .and.include('encrypted');
    const older = write('older.pem', '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAA==\n');
    expect(issueOf({ certFile, keyFile: older })).to.include('encrypted');
  });

  it('are rejected if the key belongs to another certificate, naming both', () => {
    const issue = issueOf({ certFile, keyFile: OTHER_KEY_FILE });
    for (const part of ['SIGNING_TLS_CERT_FILE', 'SIGNING_TLS_KEY_FILE', certFile, OTHER_KEY_FILE]) {
      expect(issue).to.include(part);
    }
  });

  it('are accepted with a warning if the certificate has expired or is not valid yet', () => {
    const late = readTlsFiles({ certFile, keyFile }, Date.parse('2120-06-01T00:00:00Z'));
    expect(late?.warnings).to.have.lengthOf(1);
    expect(late?.warnings[0]).to.include('expired').and.include(certFile);
    const early = readTlsFiles({ certFile, keyFile }, Date.parse('2019-06-01T00:00:00Z'));
    expect(early?.warnings).to.have.lengthOf(1);
    expect(early?.warnings[0]).to.include('not valid before').and.include(certFile);
  });
});
