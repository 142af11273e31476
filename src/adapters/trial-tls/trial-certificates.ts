import { KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
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
const CA_NAME = 'CN=trial CA of the signing service';

/** PEM files by name. The server's and the client's keys sign no requests. */
export interface TrialFiles {
  readonly 'ca.pem': string;
  readonly 'server.pem': string;
  readonly 'server.key': string;
  readonly 'client.pem': string;
  readonly 'client.key': string;
}

/**
 * Issues certificates for a server and a client by a new CA, whose key is forgotten: nobody can
 * issue others.
 * @param hosts names and addresses of the server
 * @param now milliseconds since 1970-01-01T00:00:00Z
 */
export async function issueTrialCertificates(hosts: readonly string[], now: number): Promise<TrialFiles> {
  const ca = await createKeys();
  const validity = { notBefore: new Date(now), notAfter: new Date(now + TRIAL_DAYS * DAY_MS) };
  const common = { issuer: CA_NAME, signingKey: ca.privateKey, signingAlgorithm: SIGNATURE, ...validity };
  const issue = async (name: string, usage: ExtendedKeyUsage, names: readonly string[]) => {
    const keys = await createKeys();
    const alternatives = names.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }) as const);
    const certificate = await X509CertificateGenerator.create({
      ...common,
      subject: `CN=${name}`,
      publicKey: keys.publicKey,
      extensions: [
        new BasicConstraintsExtension(false),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        ...(alternatives.length === 0 ? [] : [new SubjectAlternativeNameExtension(alternatives)]),
      ],
    });
    const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
    return { certificate: `${certificate.toString('pem')}\n`, key: String(key) };
  };
  const root = await X509CertificateGenerator.create({
    ...common,
    subject: CA_NAME,
    publicKey: ca.publicKey,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const server = await issue('localhost', ExtendedKeyUsage.serverAuth, hosts);
  const client = await issue('trial-client', ExtendedKeyUsage.clientAuth, []);
  return {
    'ca.pem': `${root.toString('pem')}\n`,
    'server.pem': server.certificate,
    'server.key': server.key,
    'client.pem': client.certificate,
    'client.key': client.key,
  };
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}
