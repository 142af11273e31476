import { KEY_USAGE, type ReadCertificate } from './certificate-facts.ts';

/** When a path is valid, milliseconds since 1970-01-01T00:00:00Z, both included. */
export interface ValidityPeriod {
  readonly from: number;
  readonly until: number;
}

/** The periods of all valid paths, or why there is none: an OpenSSL error code. */
export type PathSearchResult =
  | { readonly periods: readonly ValidityPeriod[] }
  | {
      readonly problem: string;
    };

/** Certificates that a path may contain. */
export interface PathSources {
  /** From the caller, not trusted. */
  readonly intermediates: readonly ReadCertificate[];
  /** Trusted, up to their self-signed roots. */
  readonly authorities: readonly ReadCertificate[];
}

/** Certificates tried in one search: callers choose the intermediates. */
const MAX_STEPS = 64;

/**
 * Finds the paths from a client certificate to a trusted root, with OpenSSL's rules for TLS
 * clients (RFC 5280 §6.1) except dates, which the caller checks for each request. Authorities with
 * name constraints are rejected.
 */
export function findPaths(client: ReadCertificate, sources: PathSources): PathSearchResult {
  const search = new PathSearch(sources);
  search.extend([client]);
  return search.result;
}

class PathSearch {
  readonly #untrusted: readonly ReadCertificate[];
  readonly #authorities: readonly ReadCertificate[];
  readonly #trusted: ReadonlySet<string>;
  readonly #periods: ValidityPeriod[] = [];
  #problem: string | null = null;
  #steps = 0;

  constructor({ intermediates, authorities }: PathSources) {
    this.#authorities = authorities;
    this.#trusted = new Set(authorities.map(nameOf));
    this.#untrusted = intermediates.filter((certificate) => !this.#trusted.has(nameOf(certificate)));
  }

  get result(): PathSearchResult {
    if (this.#periods.length > 0) return { periods: this.#periods };
    return { problem: this.#problem ?? 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' };
  }

  /** Tries all issuers of the last certificate; the authorities first. */
  extend(path: readonly ReadCertificate[]): void {
    const last = path.at(-1) as ReadCertificate;
    const isTrusted = this.#trusted.has(nameOf(last));
    if (isTrusted && last.x509.checkIssued(last.x509)) {
      this.#judge(path);
      return;
    }
    const issuers = isTrusted ? this.#authorities : [...this.#authorities, ...this.#untrusted];
    for (const issuer of issuers) {
      if (path.includes(issuer) || !last.x509.checkIssued(issuer.x509)) continue;
      this.#steps += 1;
      if (this.#steps > MAX_STEPS) return;
      this.extend([...path, issuer]);
    }
  }

  #judge(path: readonly ReadCertificate[]): void {
    const problem = findProblem(path);
    if (problem === null) this.#periods.push(periodOf(path));
    else this.#problem ??= problem;
  }
}

function nameOf({ x509 }: ReadCertificate): string {
  return x509.fingerprint256;
}

function periodOf(path: readonly ReadCertificate[]): ValidityPeriod {
  return {
    from: Math.max(...path.map(({ x509 }) => Date.parse(x509.validFrom))),
    until: Math.min(...path.map(({ x509 }) => Date.parse(x509.validTo))),
  };
}

/** @param path from the client certificate to the root */
function findProblem(path: readonly ReadCertificate[]): string | null {
  let intermediates = 0;
  for (const [depth, certificate] of path.entries()) {
    const { x509, facts } = certificate;
    const isRoot = depth === path.length - 1;
    const problem = depth === 0 ? findClientProblem(certificate) : findIssuerProblem(certificate, intermediates);
    if (problem !== null) return problem;
    if (facts.hasUnknownCriticalExtension) return 'UNHANDLED_CRITICAL_EXTENSION';
    if (facts.hasNameConstraints) return 'UNSUPPORTED_CONSTRAINT_TYPE';
    if (!facts.permitsClients) return 'INVALID_PURPOSE';
    if (!isRoot && !facts.isSignatureStrong) return 'CA_MD_TOO_WEAK';
    // Self-issued certificates don't count (RFC 5280 §6.1.4 l).
    if (depth > 0 && x509.subject !== x509.issuer) intermediates += 1;
  }
  return hasValidSignatures(path) ? null : 'CERT_SIGNATURE_FAILURE';
}

function findClientProblem({ facts }: ReadCertificate): string | null {
  if (!facts.isKeyStrong) return 'EE_KEY_TOO_SMALL';
  const signs = KEY_USAGE.digitalSignature | KEY_USAGE.keyAgreement;
  return facts.keyUsage === null || (facts.keyUsage & signs) !== 0 ? null : 'INVALID_PURPOSE';
}

function findIssuerProblem({ facts }: ReadCertificate, intermediatesBelow: number): string | null {
  const { isAuthority, pathLength, keyUsage, isKeyStrong } = facts;
  if (!isAuthority) return 'INVALID_CA';
  if (keyUsage !== null && (keyUsage & KEY_USAGE.keyCertSign) === 0) return 'INVALID_CA';
  if (pathLength !== null && intermediatesBelow > pathLength) return 'PATH_LENGTH_EXCEEDED';
  return isKeyStrong ? null : 'CA_KEY_TOO_SMALL';
}

/** From the root down, so that no key is used before its certificate is verified. */
function hasValidSignatures(path: readonly ReadCertificate[]): boolean {
  for (let depth = path.length - 2; depth >= 0; depth -= 1) {
    const issuer = path[depth + 1];
    if (issuer === undefined || path[depth]?.x509.verify(issuer.publicKey) !== true) return false;
  }
  return true;
}
