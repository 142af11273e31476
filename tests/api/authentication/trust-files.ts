import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TlsFileNames } from '../../../src/adapters/http/tls/tls-files.ts';
import { expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';

type Certificate = Pick<TlsFileNames, 'certFile'>;

/** The files of trusted client certificates, which a suite changes. */
export function useTrustFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-clients-'));
  after(() => rmSync(folder, { recursive: true }));
  const [caFile, fingerprintsFile] = [join(folder, 'ca.pem'), join(folder, 'fingerprints.txt')];
  return {
    folder,
    caFile,
    fingerprintsFile,
    trust: (...authorities: readonly Certificate[]) =>
      writeFileSync(caFile, Buffer.concat(authorities.map(({ certFile }) => readFileSync(certFile)))),
    list: (...certificates: readonly Certificate[]) =>
      writeFileSync(fingerprintsFile, certificates.map((one) => `${fingerprintOf(one)}\n`).join('')),
    /** Paths for the service. */
    names: (isListed: boolean) => ({ caFile, fingerprintsFile: isListed ? fingerprintsFile : null }),
  };
}

export function fingerprintOf({ certFile }: Certificate): string {
  return new X509Certificate(readFileSync(certFile)).fingerprint256;
}

/** Checks a refusal; returns its message. */
export function expectRefusal(response: ReceivedResponse, reason: string, problem?: string): string {
  const { details, message } = expectError(response, 401, 'UNAUTHENTICATED');
  expect(details).to.deep.equal(problem === undefined ? { reason } : { reason, problem });
  expect(response.headers['www-authenticate']).to.be.a('string');
  return message;
}
