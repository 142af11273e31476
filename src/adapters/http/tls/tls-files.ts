import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../../domain/model/errors.ts';
import { readConfiguredFile } from '../../files/configured-file.ts';

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
