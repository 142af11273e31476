import type { X509Certificate } from 'node:crypto';

/**
 * When a certificate stops being good: when its own period ends, or that of an authority on its way up. OpenSSL looks at the latter in the handshake alone, and not in one that resumes a session.
 * Those that a client sends beside its certificate are looked at there alone: Node 24 shows none of them to a server. Where several authorities issued it (one was renewed, say), the one counts that lasts longest.
 * @param authorities those that are believed
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function trustedUntil(certificate: X509Certificate, authorities: readonly X509Certificate[]): number {
  const end = Date.parse(certificate.validTo);
  const issuers = authorities.filter((authority) => isIssuedBy(certificate, authority));
  if (issuers.length === 0) return end;
  const above = authorities.filter((authority) => !issuers.includes(authority));
  return Math.min(end, Math.max(...issuers.map((issuer) => trustedUntil(issuer, above))));
}

/** Whether an authority issued a certificate itself: by its key, since another one may have its name. */
export function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}
