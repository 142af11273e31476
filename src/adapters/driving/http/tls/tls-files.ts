import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { readSetFile } from './read-set-file.ts';

/** Paths of the PEM files of HTTPS. */
export interface TlsFileNames {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What the server's certificate says of itself. */
export interface CertificateFacts {
  /** ISO 8601 UTC. */
  readonly notBefore: string;
  /** ISO 8601 UTC. */
  readonly notAfter: string;
  /** SHA-256 of its DER form, hex in pairs with colons, as `openssl x509 -fingerprint -sha256` prints it. */
  readonly fingerprint256: string;
}

/** The certificate and key of HTTPS, checked. The key is that of the transport: it signs no request. */
export interface TlsFiles {
  /** PEM: the server's certificate first, then those that vouch for it. */
  readonly cert: Buffer;
  /** PEM, not encrypted. */
  readonly key: Buffer;
  /** Of the server's certificate. */
  readonly certificate: CertificateFacts;
  /** What an operator should look at, though it does not stop the service. */
  readonly warnings: readonly string[];
}

const CERT_SETTING = 'SIGNING_TLS_CERT_FILE';
const KEY_SETTING = 'SIGNING_TLS_KEY_FILE';

/** PKCS#8 (RFC 7468 §11) and the older form of OpenSSL. */
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * Reads the files of HTTPS and checks that they belong together.
 * @param now milliseconds since 1970-01-01T00:00:00Z, for the certificate's period
 * @throws OperatorError that names the setting, the file and what to do; never any of its content
 */
export function readTlsFiles({ certFile, keyFile }: TlsFileNames, now: number = Date.now()): TlsFiles {
  const cert = readSetFile(CERT_SETTING, certFile);
  const key = readSetFile(KEY_SETTING, keyFile);
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parseKey(key, keyFile))) {
    throw new OperatorError(
      `${KEY_SETTING}: the key in ${keyFile} does not belong to the certificate in ${certFile} (${CERT_SETTING}). Set the pair that was issued together.`,
    );
  }
  assertUsable(cert, key, certFile);
  return { cert, key, certificate: factsOf(certificate), warnings: findWarnings(certificate, certFile, now) };
}

function parseCertificate(cert: Buffer, file: string): X509Certificate {
  const fault = `${CERT_SETTING}: ${file} is no certificate in PEM form (-----BEGIN CERTIFICATE-----).`;
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) throw new OperatorError(fault);
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw new OperatorError(fault, { cause: error });
  }
}

function parseKey(key: Buffer, file: string): KeyObject {
  if (ENCRYPTED_KEY.test(key.toString('latin1'))) {
    throw new OperatorError(
      `${KEY_SETTING}: the key in ${file} is encrypted. Store it decrypted, readable by the service alone (mode 0400).`,
    );
  }
  try {
    return createPrivateKey({ key, format: 'pem' });
  } catch (error) {
    throw new OperatorError(`${KEY_SETTING}: ${file} is no private key in PEM form (-----BEGIN PRIVATE KEY-----).`, {
      cause: error,
    });
  }
}

/** OpenSSL has rules of its own, such as the least size of an RSA key. */
function assertUsable(cert: Buffer, key: Buffer, certFile: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new OperatorError(
      `${CERT_SETTING}: TLS does not take the certificate in ${certFile} with its key: ${reason}.`,
      {
        cause: error,
      },
    );
  }
}

function factsOf({ validFrom, validTo, fingerprint256 }: X509Certificate): CertificateFacts {
  return { notBefore: isoTime(validFrom), notAfter: isoTime(validTo), fingerprint256 };
}

/** OpenSSL writes `Jan  1 00:00:00 2120 GMT`. */
function isoTime(text: string): string {
  return new Date(text).toISOString();
}

function findWarnings({ validFrom, validTo }: X509Certificate, file: string, now: number): readonly string[] {
  if (now > Date.parse(validTo)) {
    return [`${CERT_SETTING}: the certificate in ${file} expired on ${validTo}. Clients will refuse it; renew it.`];
  }
  if (now < Date.parse(validFrom)) {
    return [`${CERT_SETTING}: the certificate in ${file} is not valid before ${validFrom}. Clients will refuse it.`];
  }
  return [];
}
