import type { X509Certificate } from 'node:crypto';
import { isPrincipal } from '../../../domain/model/authentication.ts';
import { memoizeByObject } from '../../../domain/model/memoize.ts';
import type { ClientError } from '../refusals.ts';
import { type ClientTrustFiles, normalizeFingerprint } from './client-trust-files.ts';

/** Alternative names in order of preference (RFC 5280 §4.2.1.6); URI as in SPIFFE. */
const NAME_KINDS = ['URI:', 'DNS:', 'email:'] as const;

/**
 * The caller's name: the first URI, host name or mail address, else the only common name. Null if
 * that is not a valid principal.
 */
function certificateName(certificate: X509Certificate): string | null {
  const name = alternativeName(certificate.subjectAltName ?? '') ?? commonName(certificate);
  return name !== undefined && isPrincipal(name) ? name : null;
}

/** Node quotes names with special characters; none of those is valid. */
function alternativeName(text: string): string | undefined {
  const names = text.split(', ');
  for (const kind of NAME_KINDS) {
    const found = names.find((name) => name.startsWith(kind));
    if (found !== undefined) return text.includes('"') ? '' : found.slice(kind.length);
  }
  return undefined;
}

/** An array if there are several. */
function commonName(certificate: X509Certificate): string | undefined {
  const { CN: name } = certificate.toLegacyObject().subject as { readonly CN?: string | readonly string[] };
  return typeof name === 'string' ? name : undefined;
}

/** The principal of a client, or why it has none. */
export type ClientIdentity =
  | { readonly principal: string }
  | {
      readonly error: ClientError;
      /** OpenSSL's error code, or of a proxy's own certificate a ClientError. */
      readonly problem?: string;
    };

/** A client whose certificate is not trusted, with OpenSSL's error code. */
export function untrusted(problem: string): ClientIdentity {
  return { error: 'CLIENT_CERTIFICATE_UNTRUSTED', problem };
}

/** Cached, since Node parses the subject each time. */
const readName = memoizeByObject((certificate: X509Certificate) => ({ name: certificateName(certificate) }));

/** The identity of the holder of a verified certificate: it must be listed and have a name. */
export function identifyHolder(
  certificate: X509Certificate,
  { fingerprints }: Pick<ClientTrustFiles, 'fingerprints'>,
): ClientIdentity {
  if (fingerprints !== null && !fingerprints.has(normalizeFingerprint(certificate.fingerprint256))) {
    return { error: 'CLIENT_CERTIFICATE_NOT_LISTED' };
  }
  const { name } = readName(certificate);
  return name === null ? { error: 'CLIENT_CERTIFICATE_UNNAMED' } : { principal: name };
}
