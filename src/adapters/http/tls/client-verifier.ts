import type { X509Certificate } from 'node:crypto';
import { memoizeByObject } from '../../../domain/model/memoize.ts';
import { readCertificate } from './forwarded-certificate.ts';

/** Extended key usage of TLS clients (RFC 5280 §4.2.1.12). */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
/** 112 bits of security (NIST SP 800-57 part 1 §5.6). */
const MIN_RSA_BITS = 2048;

/**
 * Verifies a client certificate up to a self-signed authority.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @returns an OpenSSL error code; null if it is trusted
 */
export type VerifyClient = (client: X509Certificate, now: number) => string | null;

/**
 * Verifies client certificates without a TLS handshake, in which OpenSSL would do it: those that
 * proxies forward, and those of open connections later. The handshake verifies path length, name
 * constraints, key usage of clients and signature hashes.
 * @param authorities only CAs with a key that Node knows issue certificates
 */
export function clientVerifier(authorities: readonly X509Certificate[]): VerifyClient {
  const usable = authorities.filter(
    (one) => one.ca && readCertificate(one.raw) !== null && findUseProblem(one) === null,
  );
  /** By key, since authorities may share a name. */
  const getIssuers = memoizeByObject((certificate: X509Certificate) =>
    usable.filter((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey)),
  );
  return (client, now) => {
    const use = findUseProblem(client);
    if (use !== null) return use;
    if (getIssuers(client).length === 0) {
      const isNamed = usable.some((authority) => client.checkIssued(authority));
      return isNamed ? 'CERT_SIGNATURE_FAILURE' : 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY';
    }
    let problem = 'UNABLE_TO_GET_ISSUER_CERT';
    // The loop also visits certificates that it adds, each once.
    const reached = new Set([client]);
    for (const one of reached) {
      const issuers = getIssuers(one);
      if (Date.parse(one.validTo) < now) problem = 'CERT_HAS_EXPIRED';
      else if (now < Date.parse(one.validFrom)) problem = 'CERT_NOT_YET_VALID';
      else if (issuers.includes(one)) return null;
      else for (const issuer of issuers) reached.add(issuer);
    }
    return problem;
  };
}

function findUseProblem({ keyUsage, publicKey }: X509Certificate): string | null {
  // The extended key usage. Undefined if absent, so any, or invalid: then it has no issuer.
  if (keyUsage?.includes(CLIENT_AUTHENTICATION) === false) return 'INVALID_PURPOSE';
  const { modulusLength: bits = MIN_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {};
  return bits < MIN_RSA_BITS ? 'EE_KEY_TOO_SMALL' : null;
}
