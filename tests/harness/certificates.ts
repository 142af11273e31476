import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';
import { projectUrl } from '../project-root.ts';

function fixture(name: string): string {
  return fileURLToPath(projectUrl(`tests/fixtures/${name}`));
}

/** A self-signed test certificate for localhost and 127.0.0.1, valid 2020 to 2120, with its key. */
export const TEST_CERTIFICATE = {
  certFile: fixture('localhost-test-only.cert.pem'),
  keyFile: fixture('localhost-test-only.key.pem'),
};

/** A key without a certificate. */
export const OTHER_KEY_FILE = fixture('other-test-only.key.pem');

/** Encrypted. */
export const ENCRYPTED_KEY_FILE = fixture('encrypted-test-only.key.pem');

/** A certificate file with its key file and fingerprint. */
export interface MadeCertificate extends TlsFileNames {
  readonly fingerprint: string;
}

/**
 * Creates a self-signed certificate for localhost and 127.0.0.1, and other DNS names, valid for so
 * many days: `<name>.crt` and `<name>.key`.
 */
export function makeCertificate(
  folder: string,
  name: string,
  days: number,
  hosts: readonly string[] = [],
): MadeCertificate {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const names = [...['localhost', ...hosts].map((host) => `DNS:${host}`), 'IP:127.0.0.1'];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-days', String(days), '-out', certFile], {
    stdio: 'pipe',
  });
  return { certFile, keyFile, fingerprint: new X509Certificate(readFileSync(certFile)).fingerprint256 };
}
