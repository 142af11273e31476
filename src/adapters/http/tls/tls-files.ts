import { createPrivateKey, X509Certificate } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../../domain/model/errors.ts';
import { adviseOnReading } from '../../files/file-advice.ts';
import { findPermissionIssue } from '../../files/file-permissions.ts';
import { openRegularFileSync } from '../../files/open-regular-file.ts';

/** Maximum size of a file, bytes. */
const MAX_BYTES = 1024 ** 2;

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
    throw new OperatorError(`${setting}: ${file}: ${adviseOnReading(error)}.`, { cause: error });
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

/**
 * Reads the files of HTTPS and checks that they match.
 * @throws OperatorError that names the setting, the file and what to do; never content
 */
export function readTlsFiles({ certFile, keyFile }: TlsFileNames): TlsFiles {
  const cert = readConfiguredFile(CERT_SETTING, certFile);
  const key = readConfiguredFile(KEY_SETTING, keyFile);
  const certificate = attempt(
    () => new X509Certificate(cert),
    () => `${CERT_SETTING}: ${certFile} is not a PEM certificate (-----BEGIN CERTIFICATE-----).`,
  );
  const privateKey = attempt(
    () => createPrivateKey({ key, format: 'pem' }),
    () =>
      `${KEY_SETTING}: ${keyFile} is not an unencrypted PEM private key (-----BEGIN PRIVATE KEY-----). Store it decrypted and readable only by the service (mode 0400).`,
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new OperatorError(
      `${KEY_SETTING}: the key in ${keyFile} does not belong to the certificate in ${certFile} (${CERT_SETTING}). Set a matching pair.`,
    );
  }
  // OpenSSL has further rules, such as PEM for the whole chain and a minimum RSA key size.
  attempt(
    () => createSecureContext({ cert, key }),
    (reason) => `${CERT_SETTING}: TLS rejects the certificate in ${certFile} with its key: ${reason}.`,
  );
  return { cert, key, certificate };
}

/** @param explain gets OpenSSL's reason, which quotes no content */
function attempt<Result>(make: () => Result, explain: (reason: string) => string): Result {
  try {
    return make();
  } catch (cause) {
    throw new OperatorError(explain(cause instanceof Error ? cause.message : 'unknown reason'), { cause });
  }
}
