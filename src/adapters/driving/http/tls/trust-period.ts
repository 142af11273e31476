import type { X509Certificate } from 'node:crypto';

/** Certificates that came beside that of a client, of which more are not looked at: nobody has so many authorities one above the other. */
const MOST_BESIDE = 8;

/**
 * When a certificate stops being good: when its own period ends, or that of an authority on its way up. OpenSSL looks at the latter in the handshake alone, and not in one that resumes a session.
 * Where several authorities issued it (one was renewed, say), the one counts that lasts longest.
 * @param authorities those that are believed
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function trustedUntil(certificate: X509Certificate, authorities: readonly X509Certificate[]): number {
  return endOf(certificate, [...authorities, ...certificatesBeside(certificate)]);
}

/** Whether an authority issued a certificate itself: by its key, since another one may have its name. */
export function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function endOf(certificate: X509Certificate, others: readonly X509Certificate[]): number {
  const end = Date.parse(certificate.validTo);
  const issuers = others.filter((other) => isIssuedBy(certificate, other));
  if (issuers.length === 0) return end;
  const above = others.filter((other) => !issuers.includes(other));
  return Math.min(end, Math.max(...issuers.map((issuer) => endOf(issuer, above))));
}

/** Nothing where a session was resumed: then the client sent none. */
function certificatesBeside(certificate: X509Certificate): readonly X509Certificate[] {
  const beside: X509Certificate[] = [];
  let next = certificate.issuerCertificate;
  while (next !== undefined && beside.length < MOST_BESIDE) {
    beside.push(next);
    next = next.issuerCertificate;
  }
  return beside;
}
