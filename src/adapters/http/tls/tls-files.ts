import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../../domain/model/errors.ts';
import { findPermissionIssue } from '../../files/file-permissions.ts';
import { openRegularFileSync } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';

/** Maximum size of a file, bytes. */
const MAX_BYTES = 1024 ** 2;

/** Follow the file's path in messages. */
const REASONS: { readonly [code: string]: string } = {
  EISDIR: 'is a folder. Set the path of the file in it.',
  EINVAL: 'is not a regular file. Use a regular file.',
  EFBIG: 'is larger than 1 MiB. Check the path.',
};

/**
 * Reads a file that a setting names.
 * @param trusted its content, such as `the authorities of client certificates`, if no other user
 * may be able to change it; else null
 * @throws OperatorError that names the setting, the file and what to do
 */
export function readConfiguredFile(setting: string, file: string, trusted: string | null = null): Buffer {
  try {
    const { descriptor, stats } = openRegularFileSync(file, { maxBytes: MAX_BYTES });
    try {
      const issue = trusted === null ? null : findPermissionIssue(file, stats, 'trusted', trusted);
      if (issue !== null) throw new OperatorError(`${setting}: ${file}: ${issue}.`);
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const code = systemErrorCode(error);
    const unreadable = `cannot read ${file} (${code}). Check the path and its permissions.`;
    const reason = REASONS[code];
    throw new OperatorError(`${setting}: ${reason === undefined ? unreadable : `${file} ${reason}`}`, { cause: error });
  }
}

/** Paths of the PEM files of HTTPS. */
export interface TlsFileNames {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A valid TLS certificate and its key, which signs no requests. */
export interface TlsFiles {
  /** PEM: the server's certificate first, then its chain. */
  readonly cert: Buffer;
  /** PEM, not encrypted. */
  readonly key: Buffer;
  /** The server's certificate, which may have expired. */
  readonly certificate: X509Certificate;
}

const CERT_SETTING = 'SIGNING_TLS_CERT_FILE';
const KEY_SETTING = 'SIGNING_TLS_KEY_FILE';

/** PKCS#8 (RFC 7468 §11) and the older form of OpenSSL. */
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * Reads the files of HTTPS and checks that they match.
 * @throws OperatorError that names the setting, the file and what to do; never content
 */
export function readTlsFiles({ certFile, keyFile }: TlsFileNames): TlsFiles {
  const cert = readConfiguredFile(CERT_SETTING, certFile);
  const key = readConfiguredFile(KEY_SETTING, keyFile);
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parseKey(key, keyFile))) {
    throw new OperatorError(
      `${KEY_SETTING}: the key in ${keyFile} does not belong to the certificate in ${certFile} (${CERT_SETTING}). Set a matching pair.`,
    );
  }
  assertUsable(cert, key, certFile);
  return { cert, key, certificate };
}

function parseCertificate(cert: Buffer, file: string): X509Certificate {
  const issue = `${CERT_SETTING}: ${file} is not a PEM certificate (-----BEGIN CERTIFICATE-----).`;
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) throw new OperatorError(issue);
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw new OperatorError(issue, { cause: error });
  }
}

function parseKey(key: Buffer, file: string): KeyObject {
  if (ENCRYPTED_KEY.test(key.toString('latin1'))) {
    throw new OperatorError(
      `${KEY_SETTING}: the key in ${file} is encrypted. Store it decrypted and readable only by the service (mode 0400).`,
    );
  }
  try {
    return createPrivateKey({ key, format: 'pem' });
  } catch (error) {
    throw new OperatorError(`${KEY_SETTING}: ${file} is not a PEM private key (-----BEGIN PRIVATE KEY-----).`, {
      cause: error,
    });
  }
}

/** OpenSSL has further rules, such as a minimum RSA key size. */
function assertUsable(cert: Buffer, key: Buffer, certFile: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new OperatorError(`${CERT_SETTING}: TLS rejects the certificate in ${certFile} with its key: ${reason}.`, {
      cause: error,
    });
  }
}

/**
 * Why clients reject the certificate in this file now, for operators; null if they don't.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 */
export function findPeriodIssue({ validFrom, validTo }: X509Certificate, file: string, now: number): string | null {
  if (now > Date.parse(validTo)) {
    return `${CERT_SETTING}: the certificate in ${file} expired on ${validTo}. Clients will reject it; renew it.`;
  }
  if (now < Date.parse(validFrom)) {
    return `${CERT_SETTING}: the certificate in ${file} is not valid before ${validFrom}. Clients will reject it.`;
  }
  return null;
}
