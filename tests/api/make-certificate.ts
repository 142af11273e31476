import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsFileNames } from '../../src/adapters/driving/http/tls/tls-files.ts';

/** A certificate in its file, its key in another, and what it is known by. */
export interface MadeCertificate extends TlsFileNames {
  readonly fingerprint: string;
}

/** Makes a self-signed certificate for localhost and 127.0.0.1, valid from now on for so many days: `<name>.crt` and `<name>.key` in the folder. */
export function makeCertificate(folder: string, name: string, days: number): MadeCertificate {
  const certFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-days', String(days), '-out', certFile], {
    stdio: 'pipe',
  });
  return { certFile, keyFile, fingerprint: new X509Certificate(readFileSync(certFile)).fingerprint256 };
}
