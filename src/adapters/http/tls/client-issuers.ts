import type { X509Certificate } from 'node:crypto';
import { isIssuedBy } from './client-trust.ts';

/** The parts of a certificate that are checked for each request. */
export interface IssuedCertificate {
  /** Validity, milliseconds since 1970-01-01T00:00:00Z, both included. */
  readonly from: number;
  readonly until: number;
  /** The authorities with its issuer's name whose key verifies its signature. */
  readonly issuers: readonly IssuedCertificate[];
}

/** Extended key usage of TLS clients (RFC 5280 §4.2.1.12). */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
/** 112 bits of security (NIST SP 800-57 part 1 §5.6). */
const MIN_RSA_BITS = 2048;

/**
 * The authorities that may issue client certificates. Verifies certificates that arrive without a
 * TLS handshake, in which OpenSSL would do it. The handshake with the proxy verifies path length,
 * name constraints, key usage of clients and signature hashes.
 */
export class ClientIssuers {
  readonly #authorities: ReadonlyMap<X509Certificate, IssuedCertificate>;

  /** @param authorities all with readable public keys; only CAs issue */
  constructor(authorities: readonly X509Certificate[]) {
    const usable = authorities.filter((one) => one.ca && findUseProblem(one) === null);
    const issuers = new Map(usable.map((one) => [one, [] as IssuedCertificate[]]));
    this.#authorities = new Map([...issuers].map(([one, above]) => [one, { ...periodOf(one), issuers: above }]));
    for (const [one, above] of issuers) above.push(...this.#findIssuers(one));
  }

  /** @returns an OpenSSL error code if the certificate is never trusted, at any time */
  check(client: X509Certificate): IssuedCertificate | string {
    const problem = findUseProblem(client);
    if (problem !== null) return problem;
    const issuers = this.#findIssuers(client);
    if (issuers.length > 0) return { ...periodOf(client), issuers };
    const isNamed = [...this.#authorities.keys()].some((authority) => client.checkIssued(authority));
    return isNamed ? 'CERT_SIGNATURE_FAILURE' : 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY';
  }

  #findIssuers(certificate: X509Certificate): readonly IssuedCertificate[] {
    const authorities = [...this.#authorities].filter(([authority]) => isIssuedBy(certificate, authority));
    return authorities.map(([, authority]) => authority);
  }
}

/**
 * Looks for valid issuers up to a self-signed one.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @returns an OpenSSL error code; null if there is such a path
 */
export function findPathProblem(client: IssuedCertificate, now: number): string | null {
  let problem = 'UNABLE_TO_GET_ISSUER_CERT';
  // The loop also visits certificates that it adds, each once.
  const reached = new Set([client]);
  for (const one of reached) {
    if (one.until < now) problem = 'CERT_HAS_EXPIRED';
    else if (now < one.from) problem = 'CERT_NOT_YET_VALID';
    else if (one.issuers.includes(one)) return null;
    else for (const issuer of one.issuers) reached.add(issuer);
  }
  return problem;
}

function findUseProblem({ keyUsage, publicKey }: X509Certificate): string | null {
  // The extended key usage; undefined: any, or invalid: then OpenSSL's checkIssued finds no issuer.
  if (keyUsage?.includes(CLIENT_AUTHENTICATION) === false) return 'INVALID_PURPOSE';
  const { modulusLength: bits = MIN_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {};
  return bits < MIN_RSA_BITS ? 'EE_KEY_TOO_SMALL' : null;
}

function periodOf({ validFrom, validTo }: X509Certificate): Pick<IssuedCertificate, 'from' | 'until'> {
  return { from: Date.parse(validFrom), until: Date.parse(validTo) };
}
