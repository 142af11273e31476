import { KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** Validity of trial certificates. */
export const TRIAL_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1000;
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };
const CA_NAME = 'trial CA of the signing service';

/**
 * Issues certificates for a server and a client by a new CA, whose key is forgotten: nobody can
 * issue others. The keys sign no requests.
 * @param hosts names and addresses of the server
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @returns PEM files by name
 */
export async function issueTrialCertificates(hosts: readonly string[], now: number) {
  const [ca, server, client] = await Promise.all([createKeys(), createKeys(), createKeys()]);
  const issue = async (name: string, { publicKey }: webcrypto.CryptoKeyPair, extensions: Extension[]) => {
    const certificate = await X509CertificateGenerator.create({
      ...{ subject: `CN=${name}`, publicKey, extensions },
      ...{ issuer: `CN=${CA_NAME}`, signingKey: ca.privateKey, signingAlgorithm: SIGNATURE },
      ...{ notBefore: new Date(now), notAfter: new Date(now + TRIAL_DAYS * DAY_MS) },
    });
    return `${certificate.toString('pem')}\n`;
  };
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }) as const);
  return {
    'ca.pem': await issue(CA_NAME, ca, [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ]),
    'server.pem': await issue('localhost', server, [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names),
    ]),
    'server.key': toPem(server),
    'client.pem': await issue('trial-client', client, [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])]),
    'client.key': toPem(client),
  };
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function toPem({ privateKey }: webcrypto.CryptoKeyPair): string {
  return String(KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }));
}
